/**
 * Parses text into YAML nodes with positions. The library's lexer, parser and composer are called one by one, so that deep nesting is
 * stopped before it reaches the recursive composer. Duplicate keys are left to the reader: the library's own check
 * compares every key with every other.
 */
import { Composer, type Document, Parser, type YAMLError } from 'yaml';
import { defined } from '../../model/defined.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { SourceFile } from '../../model/source.ts';
import type { ReadingCode } from './codes.ts';
import { explainIndentation } from './explain-indentation.ts';
import type { FileKind } from './file-kind.ts';
import { createLexer } from './lenient-lexer.ts';

export const MAX_DEPTH = 100;
/** One mistake often makes the rest of a file wrong; more errors than these do not help. */
const MAX_SYNTAX_ERRORS = 20;

export function parseYaml(file: SourceFile, kind: FileKind): Result<Document.Parsed, readonly Diagnostic[]> {
  const nul = file.text.indexOf('\0');
  if (nul !== -1) {
    return error([
      diagnostic(file, [nul, nul + 1], {
        code: 'yaml/nul-character',
        message: 'the file contains a NUL character',
      }),
    ]);
  }
  const parser = new Parser();
  const composer = new Composer({
    schema: 'core',
    uniqueKeys: false,
    // A key is its text, even `7` and `true`, and need not be tested against every kind of value.
    stringKeys: true,
    keepSourceTokens: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const documents: Document.Parsed[] = [];
  for (const document of composer.compose(tokensOf(file.text, parser))) {
    documents.push(document as Document.Parsed);
    if (documents.length === 2) break;
  }
  if (isTooDeep(parser)) return error([tooDeep(file, parser.offset)]);
  return judge(file, documents, kind);
}

function* tokensOf(text: string, parser: Parser) {
  for (const lexeme of createLexer().lex(text)) {
    yield* parser.next(lexeme);
    if (isTooDeep(parser)) return;
  }
  yield* parser.end();
}

/** The stack contains the document, each open collection, and the scalar that is being read. */
function isTooDeep(parser: Parser): boolean {
  return parser.stack.length > MAX_DEPTH + 2;
}

function judge(
  file: SourceFile,
  documents: readonly Document.Parsed[],
  kind: FileKind,
): Result<Document.Parsed, readonly Diagnostic[]> {
  const [first, second] = documents;
  if (first === undefined) return error([empty(file, kind)]);
  const problems = withoutRepeats(
    [...first.errors, ...first.warnings]
      .sort((a, b) => a.pos[0] - b.pos[0])
      .slice(0, MAX_SYNTAX_ERRORS)
      .map((problem) => syntaxProblem(file, problem)),
  );
  if (second !== undefined) {
    const start = file.text.lastIndexOf('---', second.contents?.range[0] ?? second.range[0]);
    problems.push(
      diagnostic(file, [Math.max(0, start), Math.max(0, start) + 3], {
        code: 'yaml/several-documents',
        message: `the file contains more than one YAML document; a ${kind.noun} is a single one`,
        help: 'move the second document to its own file',
      }),
    );
  }
  if (problems.length > 0) return error(problems);
  return first.contents === null || isNothing(first) ? error([empty(file, kind)]) : ok(first);
}

function isNothing(document: Document.Parsed): boolean {
  const { contents } = document;
  return contents !== null && 'value' in contents && contents.value === null && contents.source === '';
}

function empty(file: SourceFile, kind: FileKind): Diagnostic {
  return {
    code: 'workflow/empty' satisfies ReadingCode,
    severity: 'error',
    path: file.path,
    message: `\`${file.path}\` is empty; expected a ${kind.noun}`,
    help: kind.emptyHelp,
  };
}

function tooDeep(file: SourceFile, offset: number): Diagnostic {
  return diagnostic(file, [Math.max(0, offset - 1), offset], {
    code: 'yaml/too-deep',
    message: `the file is nested more than ${MAX_DEPTH} levels deep here`,
  });
}

/** The library reports some mistakes twice, in two ways that are one here. */
function withoutRepeats(problems: readonly Diagnostic[]): Diagnostic[] {
  return problems.filter(
    (one, index) =>
      problems.findIndex(
        (other) => other.message === one.message && other.range?.start === one.range?.start,
      ) === index,
  );
}

function syntaxProblem(file: SourceFile, problem: YAMLError): Diagnostic {
  const slip = explainIndentation(file.text, problem);
  if (slip !== undefined) {
    const { range, ...words } = slip;
    return diagnostic(file, range, { code: 'yaml/syntax', ...words });
  }
  const code = CODE_OF[problem.code] ?? 'yaml/syntax';
  const help = HELP[problem.code];
  return diagnostic(file, problem.pos, {
    code,
    message: inOurWords(problem.message),
    ...defined({ help }),
  });
}

const CODE_OF: { readonly [code: string]: ReadingCode } = {
  TAG_RESOLVE_FAILED: 'yaml/unknown-tag',
  NON_STRING_KEY: 'yaml/bad-key',
  RESOURCE_EXHAUSTION: 'yaml/too-deep',
};

const HELP: { readonly [code: string]: string } = {
  TAB_AS_INDENT: 'indent with spaces; YAML does not allow tabs',
  BLOCK_AS_IMPLICIT_KEY: 'a value that contains `: ` must be quoted',
  MULTILINE_IMPLICIT_KEY: 'a `:` or a closing quote may be missing',
  BAD_DQ_ESCAPE: 'inside double quotes write `\\\\` for a backslash, or use single quotes',
  TAG_RESOLVE_FAILED: 'put the value in quotes if the `!` belongs to it, or remove the tag',
};

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Missing closing (["'])quote/, 'the text has no closing $1'],
  [/^With stringKeys, all keys must be strings/, 'the key of a mapping must be text'],
  [/^Unresolved tag: (\S+)/, 'unknown tag `$1`'],
  [
    /^Flow sequence in block collection must be.*/,
    'the list has no closing `]`, or its lines are not indented',
  ],
  [
    /^Flow map in block collection must be.*/,
    'the mapping has no closing `}`, or its lines are not indented',
  ],
  [/^Nested mappings are not allowed in compact mappings/, 'a second `: ` in one line'],
  [/^Implicit map keys need to be followed by map values/, 'a key has no `:` after it'],
  [/^Implicit keys need to be on a single line/, 'a key spans several lines'],
  [/^Sequence item without - indicator/, 'missing `-` before a list item'],
  [/^All mapping items must start at the same column/, 'the keys of a mapping must start in the same column'],
];

/** The first line of the library's message, in the form of our own. */
function inOurWords(message: string): string {
  const line = message.split('\n', 1)[0] ?? message;
  for (const [pattern, words] of WORDS) if (pattern.test(line)) return line.replace(pattern, words);
  return line.charAt(0).toLowerCase() + line.slice(1);
}

function diagnostic(
  file: SourceFile,
  range: readonly [number, number],
  words: { readonly code: ReadingCode; readonly message: string; readonly help?: string },
): Diagnostic {
  const length = file.text.length;
  const start = Math.min(Math.max(0, range[0]), length);
  const end = Math.min(Math.max(start, range[1]), length);
  return { severity: 'error', range: { file, start, end }, ...words };
}
