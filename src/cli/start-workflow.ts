import fs from 'node:fs';
import { join } from 'node:path';
import type { CassetteUse } from '../effects/run-agent.ts';
import { startRun } from '../engine/local-run.ts';
import type { JournalEvent } from '../model/event.ts';
import { parseRunId, type RunId } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { runPaths } from '../store/layout.ts';
import { checkRelativePath, isInside, resolveInside } from '../store/safe-path.ts';
import { agentsUsed } from '../workflow/agents-used.ts';
import type { RunOptions } from '../workflow/block.ts';
import type { WorkflowDefinition } from '../workflow/definition.ts';
import { hasFinally } from '../workflow/has-finally.ts';
import type { LoadedWorkflow } from '../workflow/load/load-workflow.ts';
import { WORKFLOW_PROGRAM, type WorkflowInput } from '../workflow/program.ts';
import { secretNames } from '../workflow/secret-names.ts';
import type { RunFlags } from './commands/run.ts';
import type { CliContext } from './context.ts';
import { type Executed, execute } from './execute.ts';
import { EXIT } from './exit-codes.ts';
import { tellsLeak } from './leaked-secret.ts';
import { loadOrTell } from './load.ts';
import { contextFrom } from './run-context.ts';
import { newRunId } from './run-ids.ts';
import type { OutputOptions, TrustOption } from './run-options.ts';
import { surroundings } from './surroundings.ts';

/** Everything is understood and checked before the first byte is written. Undefined: it was refused, and said why. */
export async function startWorkflow(
  context: CliContext,
  file: string,
  flags: RunFlags,
): Promise<Executed | undefined> {
  const given = contextFrom({
    pairs: flags.context ?? [],
    ...(flags.contextFile === undefined ? {} : { file: flags.contextFile }),
  });
  if (given.type === 'error') return refuse(context, given.error);
  const withoutAgents = flags.dryRun === true || flags.replay !== undefined || flags.agent !== undefined;
  const loaded = loadOrTell(context, file, {
    extraContext: Object.keys(given.value),
    surroundings: surroundings({ withoutAgents }),
  });
  if (loaded === undefined) return undefined;
  const problem = flagProblem(context, loaded.definition, flags);
  if (problem !== undefined) return refuse(context, problem.error, problem.help);
  const runId = newRunId(context.workspace);
  const cassette = cassetteOf(context, runId, flags);
  const input: WorkflowInput = {
    runId,
    workspace: context.workspace,
    definition: loaded.definition,
    context: { ...loaded.definition.context, ...given.value },
    options: runOptions(flags),
    ...(cassette === undefined ? {} : { cassette }),
    ...(flags.cleanProcessed === true ? { cleanProcessed: true } : {}),
    ...(flags.archiveProcessed === undefined
      ? {}
      : { archiveProcessed: flags.archiveProcessed === true ? {} : { to: flags.archiveProcessed } }),
  };
  return startInput(context, { runId, input, loaded, flags });
}

/** Starts a run whose input is made, unless a secret would be written down with it. */
export async function startInput(
  context: CliContext,
  start: {
    readonly runId: RunId;
    readonly input: WorkflowInput;
    readonly loaded: Pick<LoadedWorkflow, 'definition' | 'checksum'>;
    readonly flags: OutputOptions & TrustOption;
    /** Of a fork: the run whose beginning it shares, and that beginning. */
    readonly fork?: { readonly from: RunId; readonly shared: readonly JournalEvent[] };
  },
): Promise<Executed> {
  const { runId, input, loaded, fork } = start;
  if (tellsLeak(context, input)) return { exitCode: EXIT.usage };
  if (!(await mayStartAgentsOf(context, input, start.flags))) return { exitCode: EXIT.usage };
  return execute({
    context,
    runId,
    output: start.flags,
    ...(fork === undefined ? {} : { history: fork.shared }),
    secrets: secretNames(loaded.definition),
    tidiesUp: hasFinally(loaded.definition),
    ...(input.cassette === undefined ? {} : { cassette: input.cassette }),
    begin: (host, signal) =>
      startRun(
        host,
        {
          workspace: context.workspace,
          runId,
          kind: 'workflow',
          title: loaded.definition.name,
          program: WORKFLOW_PROGRAM,
          input: input as unknown as JsonValue,
          facts: {
            ...workflowFacts(loaded, input),
            ...(fork === undefined ? {} : { forked_from: fork.from }),
          },
          ...(fork === undefined ? {} : { shared: fork.shared }),
        },
        signal,
      ),
  });
}

/** A dry run and a replay start none. */
export async function mayStartAgentsOf(
  context: CliContext,
  { definition, options, cassette }: WorkflowInput,
  flags: TrustOption,
): Promise<boolean> {
  if (options.dryRun === true || cassette?.type === 'replay') return true;
  const agents = agentsUsed(definition, options.agent);
  if (agents.size === 0) return true;
  const { mayStartAgents } = await import('./trust/agent-settings.ts');
  return mayStartAgents(context, { agents, flags });
}

export function workflowFacts(
  loaded: Pick<LoadedWorkflow, 'definition' | 'checksum'>,
  input: WorkflowInput,
): JsonObject {
  return {
    workflow_file: loaded.definition.file,
    workflow_checksum: loaded.checksum,
    context: input.context,
    ...(input.options.dryRun === true ? { trial: 'dry run' } : {}),
    ...(input.only === undefined ? {} : { trial: `step ${input.only.step} alone` }),
  };
}

function runOptions(flags: RunFlags): RunOptions {
  return {
    ...(flags.onError === undefined ? {} : { onError: flags.onError }),
    ...(flags.maxRetries === undefined ? {} : { maxRetries: flags.maxRetries }),
    ...(flags.retryDelay === undefined ? {} : { retryDelayMs: flags.retryDelay }),
    ...(flags.dryRun === true ? { dryRun: true } : {}),
    ...(flags.agent === undefined ? {} : { agent: flags.agent }),
    ...(flags.cache === false ? { noCache: true } : {}),
  };
}

interface FlagProblem {
  readonly error: string;
  readonly help: string;
}

/** What the flags ask for must be possible before anything is started or touched. */
function flagProblem(
  context: CliContext,
  definition: WorkflowDefinition,
  flags: RunFlags,
): FlagProblem | undefined {
  const { processedDir } = definition.queue;
  const processed = resolveInside(context.workspace, processedDir);
  if (flags.cleanProcessed === true) {
    const inside = processed.type === 'ok' && processed.value !== context.workspace;
    if (!inside || isLink(join(context.workspace, processedDir))) {
      return {
        error: `\`--clean-processed\` is refused: \`${processedDir}\` is not a plain folder inside the workspace`,
        help: 'set `processed_dir` to a folder inside the workspace',
      };
    }
  }
  if (typeof flags.archiveProcessed === 'string') {
    const relative = checkRelativePath(flags.archiveProcessed);
    const target =
      relative.type === 'ok' ? resolveInside(context.workspace, flags.archiveProcessed) : relative;
    if (target.type === 'error' || (processed.type === 'ok' && isInside(processed.value, target.value))) {
      return {
        error: `\`--archive-processed ${flags.archiveProcessed}\` is refused: the archive must lie inside the workspace and outside \`${processedDir}/\``,
        help: 'name another file, or none: then it is written to the folder of the run',
      };
    }
  }
  const agents = agentsOf(definition);
  if (flags.agent !== undefined && !agents.includes(flags.agent)) {
    return { error: `there is no provider \`${flags.agent}\``, help: `use one of ${agents.join(', ')}` };
  }
  if (flags.replayLoose === true && flags.replay === undefined) {
    return {
      error: '`--replay-loose` needs `--replay`',
      help: 'say with `--replay` where the cassettes are',
    };
  }
  if (flags.replay !== undefined && !fs.existsSync(replayFolder(context, flags.replay))) {
    return {
      error: `there are no cassettes in \`${flags.replay}\``,
      help: 'name a run made with `--record`, or a folder of cassettes',
    };
  }
  return undefined;
}

/** Providers that can be started: not the one that stands for a bare `command_override`. */
function agentsOf(definition: WorkflowDefinition): readonly string[] {
  return Object.entries(definition.providers)
    .filter(([, { adapter, command }]) => adapter !== 'plain' || command !== undefined)
    .map(([name]) => name);
}

function isLink(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function cassetteOf(context: CliContext, runId: RunId, flags: RunFlags): CassetteUse | undefined {
  if (flags.record === true) return recordingOf(context, runId);
  if (flags.replay === undefined) return undefined;
  return { type: 'replay', folder: replayFolder(context, flags.replay), loose: flags.replayLoose === true };
}

function recordingOf({ workspace }: CliContext, runId: RunId): CassetteUse {
  return { type: 'record', folder: runPaths(workspace, runId).cassettes };
}

/** The input of a run, for a new one of it as the file is now: what it records goes to its own folder. */
export function inputAnew(
  context: CliContext,
  before: WorkflowInput,
  anew: Pick<WorkflowInput, 'runId' | 'definition'>,
): WorkflowInput {
  const isRecorded = before.cassette?.type === 'record';
  return { ...before, ...anew, ...(isRecorded ? { cassette: recordingOf(context, anew.runId) } : {}) };
}

function replayFolder(context: CliContext, replay: string): string {
  const runId = parseRunId(replay);
  return runId === undefined ? join(context.workspace, replay) : runPaths(context.workspace, runId).cassettes;
}

function refuse(context: CliContext, problem: string, help?: string): undefined {
  context.err(`error: ${problem}\n${help === undefined ? '' : `help: ${help}\n`}`);
  return undefined;
}
