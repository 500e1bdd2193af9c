/** What a replay over the journal needs from a host: no effects, but masking as in the run. */
import type { CodeHost } from '../../code/run/execution.ts';
import type { JsonValue } from '../../model/json.ts';
import { valuesToMask } from '../../process/environment.ts';
import { redactor } from '../../process/redact.ts';
import type { Site } from '../site.ts';
import { callFile } from '../workflows/call-file.ts';

export function replayHost(
  site: Site,
  secrets: readonly string[],
): { readonly host: CodeHost; redact(data: JsonValue): JsonValue } {
  const { environment } = site;
  const values = [...valuesToMask(environment as { readonly [name: string]: string }, secrets)];
  return {
    host: {
      functions: new Map(),
      maskSecrets: (names) => {
        for (const name of names) values.push(environment[name] ?? '');
      },
      callFile: (call, asked) => callFile(site, call, asked),
    },
    redact: (data) => redactor(values.filter((value) => value !== ''))?.(data) ?? data,
  };
}
