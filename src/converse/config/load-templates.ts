import fs from 'node:fs';
import { join } from 'node:path';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { SourceRange } from '../../model/source.ts';
import { readFileInside } from '../../store/safe-path.ts';
import type { ConfigFile } from '../../store/yaml/read-config-file.ts';
import { parsePromptTokens } from '../../template/parse-tokens.ts';
import type { Templates } from '../input.ts';
import { CONFIG } from '../layout.ts';
import { BASE_PROMPT, BASE_TOKENS, RESULT_TOKENS, TOOL_RESULT } from '../prompt/default-templates.ts';
import type { ConverseCode } from './codes.ts';
import type { WorkflowSource } from './schema.ts';

interface TemplateSite {
  readonly folder: string;
  readonly shownFolder: string;
  readonly diagnostics: Diagnostic[];
}

/** A template named in the workflow must exist; the default one is optional. */
export function loadTemplates(site: TemplateSite, { source, places }: ConfigFile<WorkflowSource>): Templates {
  const named = source.templates ?? {};
  const rangeOf = (key: string): SourceRange => places.valueRange(named, key);
  const base =
    named.base_prompt === undefined && !fs.existsSync(join(site.folder, CONFIG.basePrompt))
      ? BASE_PROMPT
      : load(site, named.base_prompt ?? CONFIG.basePrompt, {
          tokens: BASE_TOKENS,
          ...(named.base_prompt === undefined ? {} : { range: rangeOf('base_prompt') }),
        });
  const result =
    named.tool_result === undefined
      ? TOOL_RESULT
      : load(site, named.tool_result, { tokens: RESULT_TOKENS, range: rangeOf('tool_result') });
  return { basePrompt: base, toolResult: result };
}

function load(
  site: TemplateSite,
  path: string,
  wanted: { readonly tokens: ReadonlySet<string>; readonly range?: SourceRange },
): string {
  const read = readFileInside(site.folder, path);
  if (read.type === 'error') {
    site.diagnostics.push({
      code: 'converse/bad-template' satisfies ConverseCode,
      severity: 'error',
      message: describeFailure(read.error),
      ...(wanted.range === undefined ? { path: join(site.shownFolder, path) } : { range: wanted.range }),
      help: 'templates are files inside the workspace, named relative to it',
    });
    return '';
  }
  const file = { path: join(site.shownFolder, path), text: read.value.toString('utf8') };
  for (const problem of parsePromptTokens(file.text, wanted.tokens).problems) {
    site.diagnostics.push({
      code: problem.code,
      severity: 'error',
      message: problem.message,
      range: { file, start: problem.start, end: problem.end },
      help: problem.help ?? `valid tokens: ${[...wanted.tokens].map((token) => `\`{${token}}\``).join(', ')}`,
    });
  }
  return file.text;
}
