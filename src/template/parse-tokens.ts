import { nearest } from '../model/suggest.ts';
import type { ParsedTemplate, TemplateProblem } from './template.ts';
import { createTemplateBuilder } from './template-builder.ts';

/**
 * Braces are common in prompts and commands (JSON, code, other template languages), so only unlikely text is a token: in prompts
 * `{snake_case_name}`, in tool commands `{{path}}`. An unknown token is a problem with a suggestion; every other brace is plain text.
 */
const PROMPT_TOKEN = /\{\{([a-z][a-z0-9_]*)\}\}|\{([a-z][a-z0-9_]*)\}/g;
const COMMAND_TOKEN = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)[ \t]*\}\}/g;

/** `{name}` is a token, `{{name}}` the literal text `{name}`. */
export function parsePromptTokens(text: string, names: ReadonlySet<string>): ParsedTemplate {
  const builder = createTemplateBuilder();
  const problems: TemplateProblem[] = [];
  let from = 0;
  for (const match of text.matchAll(PROMPT_TOKEN)) {
    const start = match.index;
    const end = start + match[0].length;
    const [, escaped, name] = match;
    builder.addText(text.slice(from, start));
    from = end;
    if (escaped !== undefined) builder.addText(`{${escaped}}`);
    else if (name !== undefined && names.has(name)) {
      builder.addReference({ path: [name], text: name, start, end });
    } else {
      const near = nearest(name ?? '', names);
      const meant = near === undefined ? undefined : `{${near}}`;
      problems.push(unknownToken(match[0], meant, { start, end, literal: `{{${name}}}` }));
    }
  }
  builder.addText(text.slice(from));
  return { template: builder.template(), problems };
}

/** `{{root.path}}` is a token if `root` is known. */
export function parseCommandTokens(text: string, roots: ReadonlySet<string>): ParsedTemplate {
  const builder = createTemplateBuilder();
  const problems: TemplateProblem[] = [];
  let from = 0;
  for (const match of text.matchAll(COMMAND_TOKEN)) {
    const start = match.index;
    const end = start + match[0].length;
    const inside = match[1] ?? '';
    const path = inside.split('.');
    builder.addText(text.slice(from, start));
    from = end;
    if (roots.has(path[0] ?? '')) builder.addReference({ path, text: inside, start, end });
    else {
      const near = nearest(path[0] ?? '', roots);
      const meant = near === undefined ? undefined : `{{${[near, ...path.slice(1)].join('.')}}}`;
      problems.push(unknownToken(match[0], meant, { start, end }));
    }
  }
  builder.addText(text.slice(from));
  return { template: builder.template(), problems };
}

function unknownToken(
  written: string,
  meant: string | undefined,
  place: { readonly start: number; readonly end: number; readonly literal?: string },
): TemplateProblem {
  const helps = [
    ...(meant === undefined ? [] : [`did you mean \`${meant}\`?`]),
    ...(place.literal === undefined ? [] : [`for the literal text write \`${place.literal}\``]),
  ];
  return {
    code: 'template/unknown-token',
    message: `unknown token \`${written}\``,
    start: place.start,
    end: place.end,
    ...(helps.length === 0 ? {} : { help: helps.join('; ') }),
  };
}
