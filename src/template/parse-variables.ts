import { literalTemplate, type ParsedTemplate, type TemplateProblem } from './template.ts';
import { createTemplateBuilder } from './template-builder.ts';

const PATH = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;
const FALLBACK = ':-';

/** `${path}` is a reference, `${path:-text}` one with a default, `$$` is a dollar sign (so `$${` is a literal `${`), any other `$` is plain text. */
export function parseVariables(text: string): ParsedTemplate {
  if (!text.includes('$')) return { template: literalTemplate(text), problems: [] };
  const builder = createTemplateBuilder();
  const problems: TemplateProblem[] = [];
  let from = 0;
  let lineEnd = -1;
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', from)) {
    builder.addText(text.slice(from, at));
    const next = text[at + 1];
    if (next === '$') {
      builder.addText('$');
      from = at + 2;
    } else if (next === '{') {
      // The end of a line is searched once, however many references are on it.
      if (lineEnd < at) lineEnd = endOfLine(text, at);
      const close = text.slice(at, lineEnd).indexOf('}');
      const end = close === -1 ? lineEnd : at + close + 1;
      const inside = close === -1 ? undefined : text.slice(at + 2, end - 1);
      const [path, fallback] = inside === undefined ? [] : splitFallback(inside);
      if (inside !== undefined && path !== undefined && PATH.test(path)) {
        const given = fallback === undefined ? {} : { fallback };
        builder.addReference({ path: path.split('.'), text: inside, ...given, start: at, end });
      } else {
        problems.push({ ...malformed(inside), start: at, end });
      }
      from = end;
    } else {
      builder.addText('$');
      from = at + 1;
    }
  }
  builder.addText(text.slice(from));
  return { template: builder.template(), problems };
}

function splitFallback(inside: string): readonly [path: string, fallback?: string] {
  const at = inside.indexOf(FALLBACK);
  return at === -1 ? [inside] : [inside.slice(0, at), inside.slice(at + FALLBACK.length)];
}

/** `inside` is the text between the braces, if the line has both. */
function malformed(inside: string | undefined): Pick<TemplateProblem, 'code' | 'message' | 'help'> {
  if (inside === undefined) {
    return {
      code: 'template/unclosed-variable',
      message: '`${` has no closing `}`',
      help: 'close it with `}`; for a literal `${` write `$${`',
    };
  }
  if (inside.trim() === '') {
    return {
      code: 'template/empty-variable',
      message: '`${}` is empty',
      help: 'name a variable such as `${context.key}`; for a literal `${` write `$${`',
    };
  }
  return {
    code: 'template/malformed-variable',
    message: `\`\${${inside}}\` is not a variable: names are letters, digits, \`_\` and \`-\`, joined by dots`,
    help: `for a literal \`\${\` or a shell expansion, write \`$\${${inside}}\``,
  };
}

function endOfLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline === -1 ? text.length : newline;
}
