/** `.orchestrate/config.yaml`: settings of a workspace for everything that runs in it. */
import fs from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import { orchestrateFolder } from '../../store/layout.ts';
import { plainData } from '../../store/plain-data.ts';
import type { FileKind } from '../../store/yaml/file-kind.ts';
import { parseYaml } from '../../store/yaml/parse-yaml.ts';
import { readSource } from '../../store/yaml/read-source.ts';

export interface Config {
  readonly serve: {
    /** How many runs may have a process before others wait in the queue. */
    readonly maxRuns: number;
    /** `never`: no run of this workspace is taken up. */
    readonly keep: 'always' | 'never';
  };
}

const USUAL_RUNS = 4;

const shape = v.strictObject({
  serve: v.optional(
    v.strictObject({
      max_runs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000))),
    }),
  ),
  keep: v.optional(v.picklist(['always', 'never'])),
});

const KEYS = ['serve', 'keep'];
const KIND: FileKind = {
  noun: 'configuration',
  emptyHelp: 'write `serve: {max_runs: 4}`, or remove the file',
  tooLargeHelp: 'it has only a few settings',
};
const MOST_ALIASES = 100;

export const NO_CONFIG: Config = { serve: { maxRuns: USUAL_RUNS, keep: 'always' } };

export function configFile(workspace: string): string {
  return join(orchestrateFolder(workspace), 'config.yaml');
}

/** The error is a sentence that names the file. */
export function readConfig(workspace: string): Result<Config, string> {
  const path = configFile(workspace);
  if (!fs.existsSync(path)) return ok(NO_CONFIG);
  const name = '.orchestrate/config.yaml';
  const read = readSource(path, name, KIND);
  if (read.type === 'error') return error(read.error.message);
  const parsed = parseYaml(read.value.file, KIND);
  if (parsed.type === 'error') return error(`\`${name}\`: ${parsed.error[0]?.message ?? 'not valid YAML'}`);
  try {
    return checked(plainData(parsed.value.toJS({ maxAliasCount: MOST_ALIASES })), name);
  } catch (cause) {
    return error(`\`${name}\`: ${(cause as Error).message.split('\n', 1)[0]}`);
  }
}

function checked(value: JsonValue, name: string): Result<Config, string> {
  if (value === null) return ok(NO_CONFIG);
  const unknown = isJsonObject(value) ? Object.keys(value).find((key) => !KEYS.includes(key)) : undefined;
  if (unknown !== undefined) {
    const near = nearest(unknown, KEYS);
    const help = near === undefined ? `; valid keys: ${KEYS.join(', ')}` : `; did you mean \`${near}\`?`;
    return error(`\`${name}\`: unknown key \`${unknown}\`${help}`);
  }
  const read = v.safeParse(shape, value);
  if (!read.success) {
    const [issue] = read.issues;
    const place = v.getDotPath(issue) ?? '';
    return error(`\`${name}\`: ${place === '' ? '' : `\`${place}\`: `}${issue.message}`);
  }
  const { serve, keep = 'always' } = read.output;
  return ok({
    serve: {
      maxRuns: serve?.max_runs ?? USUAL_RUNS,
      keep,
    },
  });
}
