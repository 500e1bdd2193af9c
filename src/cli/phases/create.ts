import fs from 'node:fs';
import { resolve } from 'node:path';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { newDocument, type PhasePlan } from '../../phases/document.ts';
import { archivePhases, createPhases } from '../../phases/files/change-document.ts';
import { phasesPaths } from '../../phases/layout.ts';
import { parsePlan } from '../../phases/run/plan.ts';
import { plainData } from '../../store/plain-data.ts';
import type { FileKind } from '../../store/yaml/file-kind.ts';
import { parseYaml } from '../../store/yaml/parse-yaml.ts';
import { readSource } from '../../store/yaml/read-source.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { OutputOptions } from '../run-options.ts';
import { planByAgent } from './plan.ts';
import { phaseLine, refuse, tellKept, tellProblem } from './tell.ts';

interface CreateFlags extends OutputOptions {
  readonly phase?: readonly string[];
  readonly file?: string;
  readonly plan?: boolean;
  readonly agent: string;
  readonly archive?: boolean;
}

export async function create(context: CliContext, task: string, flags: CreateFlags): Promise<number> {
  if (task.trim() === '') return refuse(context, 'the task is empty');
  const paths = phasesPaths(context.workspace);
  if (fs.existsSync(paths.document) && flags.archive !== true) {
    return refuse(
      context,
      'there is a workflow here already',
      '`orchestrate phases archive` puts it away; so does `--archive`',
    );
  }
  const sources = [flags.phase, flags.file, flags.plan].filter((source) => source !== undefined);
  if (sources.length !== 1)
    return refuse(context, 'say the phases in one way: `--phase`, `--file` or `--plan`');
  const planned = await planFrom(context, task, flags);
  if (typeof planned === 'number') return planned;
  if (fs.existsSync(paths.document)) {
    const archived = await archivePhases(paths, 'command');
    if (archived.type === 'error') return tellProblem(context, archived.error);
    tellKept(context, archived.value);
  }
  const created = await createPhases(paths, 'command', newDocument(task, planned, new Date()));
  if (created.type === 'error') return tellProblem(context, created.error);
  const { document } = created.value;
  tellKept(context, created.value);
  if (flags.json === true && flags.plan !== true) context.out(`${JSON.stringify(document, null, 2)}\n`);
  else if (flags.json !== true) context.out(`${document.id}\n`);
  if (flags.quiet !== true && flags.json !== true)
    context.err(document.phases.map((phase) => `${phaseLine(phase)}\n`).join(''));
  return EXIT.done;
}

const PHASES_FILE: FileKind = {
  noun: 'list of phases',
  emptyHelp: 'write a list of `title` and `agent`',
  tooLargeHelp: 'put fewer phases into it',
};
const MOST_ALIASES = 100;

/** The phases, or the exit code when that has been said. */
async function planFrom(
  context: CliContext,
  task: string,
  flags: CreateFlags,
): Promise<readonly PhasePlan[] | number> {
  if (flags.plan === true) return planByAgent(context, task, flags);
  const value = flags.file === undefined ? fromFlags(flags.phase ?? []) : fromFile(context, flags.file);
  if (value.type === 'error') return refuse(context, value.error);
  const plan = parsePlan(value.value);
  return plan.type === 'ok' ? plan.value : refuse(context, plan.error.join('; '));
}

/** `Title::agent` */
function fromFlags(phases: readonly string[]): Result<JsonValue, string> {
  return ok(
    phases.map((text) => {
      const at = text.lastIndexOf('::');
      return at === -1
        ? { title: text.trim(), agent: '' }
        : { title: text.slice(0, at).trim(), agent: text.slice(at + 2).trim() };
    }),
  );
}

function fromFile(context: CliContext, file: string): Result<JsonValue, string> {
  const read = readSource(resolve(context.workspace, file), file, PHASES_FILE);
  if (read.type === 'error') return error(read.error.message);
  const parsed = parseYaml(read.value.file, PHASES_FILE);
  if (parsed.type === 'error')
    return error(`\`${file}\` cannot be used: ${parsed.error[0]?.message ?? 'it is no YAML'}`);
  try {
    const value = plainData(parsed.value.toJS({ maxAliasCount: MOST_ALIASES }));
    return ok(isJsonObject(value) ? (value['phases'] ?? null) : value);
  } catch (cause) {
    return error(`\`${file}\` cannot be used: ${(cause as Error).message.split('\n', 1)[0]}`);
  }
}
