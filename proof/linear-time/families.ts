/** Growing texts: a prefix, a repeated piece, and a suffix that makes an expression backtrack at the end. */
export interface Family {
  readonly name: string;
  text(characters: number): string;
}

/** Text that parsers search for, and that their expressions repeat. */
const PIECES: Readonly<Record<string, string>> = {
  hex: '0123456789abcdef',
  letters: 'a',
  digits: '0',
  words: 'a b ',
  blanks: ' ',
  tabs: '\t',
  newlines: '\n',
  returns: '\r',
  'line-ends': '\r\n',
  separators: '\u2028',
  zeros: '\0',
  stars: '*',
  quotations: '>\n',
  hashes: '#',
  dots: '.',
  'dotted-names': 'a.',
  dashes: '-',
  underscores: '_',
  commas: ',',
  colons: ': ',
  slashes: '/',
  folders: 'a/',
  parents: '../',
  backslashes: '\\',
  quotes: '"',
  apostrophes: "'",
  backquotes: '`',
  fences: '```json\n',
  'fenced-lines': '```\nx\n',
  braces: '{',
  'closed-braces': '{}',
  choices: '{a,b}',
  'open-choices': '{a,',
  brackets: '[',
  'closed-brackets': '[]',
  parentheses: '(',
  objects: '{"a":',
  'object-beginnings': '{ "',
  variables: '${a}',
  'open-variables': '${',
  dollars: '$',
  tokens: '{{a}}',
  'open-tokens': '{{a.',
  references: '[a.b]',
  folds: '**/',
  wildcards: '*a?',
  items: '- x\n',
  'nested-items': '- ',
  boxes: '- [ ] x\n',
  numbered: '1. x\n',
  headings: '## Summary\n',
  deliverables: 'Deliverables:\n',
  done: 'DONE|a\n',
  'phase-ids': 'Phase ID: ',
  rules: '---\n',
  keys: 'a: b\n',
  'nested-keys': 'a:\n ',
  anchors: '&a ',
  aliases: '*a ',
  comments: '# a\n',
  tags: '<result>',
  'comment-marks': '<!--',
  escapes: '\u001b[',
  titles: '\u001b]0;',
  colours: '\u001b[31m',
  bidi: '\u202e',
  'zero-width': '\u200b',
  wide: '漢',
  combining: 'e\u0301',
  surrogates: '\ud83d',
  emoji: '👩‍👩‍👧',
};

/** Makes a match fail at the end. */
const ENDS: Readonly<Record<string, string>> = { '': '', '-then-other': '\u0001x' };

export const FAMILIES: readonly Family[] = [
  ...Object.entries(PIECES).flatMap(([name, piece]) =>
    Object.entries(ENDS).map(([suffix, end]) => ({
      name: `${name}${suffix}`,
      text: (characters: number) => piece.repeat(Math.ceil(characters / piece.length)) + end,
    })),
  ),
  // Opened and closed pieces are complete: they may be parsed at any depth.
  nested('nested-lists', '[', ']'),
  nested('nested-objects', '{"a":', '0}'),
  nested('nested-braces', '{a,', '}'),
  nested('nested-parentheses', '(', ')'),
];

function nested(name: string, open: string, close: string): Family {
  const before = open.endsWith(':') ? `${close.slice(0, -1)}` : '';
  const end = close.slice(before.length);
  return {
    name,
    text(characters) {
      const levels = Math.ceil(characters / (open.length + end.length));
      return open.repeat(levels) + before + end.repeat(levels);
    },
  };
}
