import { literalTemplate, type ParsedTemplate, type TemplateProblem } from './template.ts';
import { createTemplateBuilder } from './template-builder.ts';

const PATH = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** `${path}` is a reference, `$$` is a dollar sign (so `$${` is a literal `${`), any other `$` stands for itself. */
export function parseVariables(text: string): ParsedTemplate {
  if (!text.includes('$')) return { template: literalTemplate(text), problems: [] };
  const builder = createTemplateBuilder();
  const problems: TemplateProblem[] = [];
  let from = 0;
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', from)) {
    builder.addText(text.slice(from, at));
    const next = text[at + 1];
    if (next === '$') {
      builder.addText('$');
      from = at + 2;
    } else if (next === '{') {
      const close = text.indexOf('}', at + 2);
      const end = close === -1 ? endOfLine(text, at) : close + 1;
      const inside = text.slice(at + 2, close === -1 ? end : close);
      if (close !== -1 && PATH.test(inside)) {
        builder.addReference({ path: inside.split('.'), text: inside, start: at, end });
      } else {
        problems.push({ ...malformed(inside, close !== -1), start: at, end });
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

function malformed(inside: string, closed: boolean): Pick<TemplateProblem, 'code' | 'message' | 'help'> {
  const literal = `for a literal \`\${\`, or an expansion of the shell's own, write \`$\${${inside}${closed ? '}' : ''}\``;
  if (!closed) {
    return {
      code: 'template/unclosed-variable',
      message: '`${` has no closing `}`',
      help: 'close it with `}`; for a literal `${` write `$${`',
    };
  }
  if (inside.trim() === '') {
    return {
      code: 'template/empty-variable',
      message: '`${}` names no variable',
      help: 'name one, such as `${context.key}`; for a literal `${` write `$${`',
    };
  }
  return {
    code: 'template/malformed-variable',
    message: `\`\${${inside}}\` is not a variable: names are letters, digits, \`_\` and \`-\`, joined by dots`,
    help: literal,
  };
}

function endOfLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline === -1 ? text.length : newline;
}
