import { literalTemplate, type Template } from './template.ts';
import { createTemplateBuilder } from './template-builder.ts';

const BRACKETS = /\[([A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)\]/g;

/**
 * `[name]` and `[name.path]` are references if `name` is one of the known roots. Any other bracket is plain text: shell scripts test
 * with `[ … ]` and match files with `[abc]`.
 */
export function parseBrackets(text: string, roots: ReadonlySet<string>): Template {
  if (!text.includes('[')) return literalTemplate(text);
  const builder = createTemplateBuilder();
  let from = 0;
  for (const match of text.matchAll(BRACKETS)) {
    const inside = match[1] ?? '';
    const path = inside.split('.');
    if (!roots.has(path[0] ?? '')) continue;
    const end = match.index + match[0].length;
    builder.addText(text.slice(from, match.index));
    builder.addReference({ path, text: inside, start: match.index, end });
    from = end;
  }
  builder.addText(text.slice(from));
  return builder.template();
}
