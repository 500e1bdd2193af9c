import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../iterate/config/layers.ts';
import { notifySecrets } from '../../iterate/config/notify-address.ts';
import { ITERATE_PROGRAM, type IterateInput } from '../../iterate/input.ts';
import { OUTPUT_LEVELS, type OutputLevel } from '../../iterate/mode.ts';
import { loadWorkspace, readTextIfThere } from '../../iterate/workspace/workspaces.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { RunPlan } from '../../operations/run-plan.ts';
import { newRunId } from '../../operations/runs/run-ids.ts';
import { mayResume } from '../../operations/trust/own-run.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { removeFile } from '../../store/remove-file.ts';
import { carryOutHere } from '../carry-out.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';
import { agentVersion, type ChosenAgent, chooseAgent, missingAgent } from './run/agent.ts';
import { type EarlierRun, unfinishedRun } from './run/earlier-run.ts';
import { listenForKeys } from './run/keys.ts';
import { configFor, continuedInput, iterateInput, type RunFlags } from './run/run-input.ts';
import { contractCode } from './site/exit-code.ts';
import { type IterateSite, mayStart, type OpenedWorkspace, openWorkspace, refuse } from './site/site.ts';
import { takeWorkspace } from './site/take-workspace.ts';
import { createNotifier, type Notifier } from './view/notify-view.ts';
import { createViews } from './view/views.ts';

/** Goes on with the workspace's last run, if it was cut off. */
export function run(site: IterateSite, name: string, flags: RunFlags): Promise<void> {
  return runOrGoOn(site, { name, flags });
}

/** `earlier`: the run to go on with, whatever the workspace's last one is. */
export async function runOrGoOn(
  site: IterateSite,
  asked: { readonly name: string; readonly flags: RunFlags; readonly earlier?: EarlierRun },
): Promise<void> {
  const { context } = site;
  const { name, flags, earlier } = asked;
  const level = levelProblem(flags);
  if (level !== undefined) return refuse(context, level);
  const workspace = openWorkspace(site, name);
  if (workspace === undefined) return;
  const config = configFor(workspace, flags);
  const instructions = readTextIfThere(workspace.paths.instructions);
  if (instructions === undefined || instructions.trim() === '') {
    return refuse(context, `Instructions not found. Run setup first: claude-iterate setup ${name}`);
  }
  const agent = chooseAgent(config);
  if (agent.type === 'error') return refuse(context, agent.error);
  const missing = flags.dryRun === true ? undefined : missingAgent(agent.value);
  if (missing !== undefined) return refuse(context, missing);
  if (!(await mayStart(site, config, flags.dryRun === true ? undefined : agent.value.choice))) return;
  const talk = { say: (text: string): void => context.err(`${text}\n`) };
  const notifier = createNotifier(config, name, (problem) => talk.say(`warning: ${problem}`));
  if (notifier.type === 'error') return refuse(context, notifier.error);
  const lock = takeWorkspace(site, workspace);
  if (lock === undefined) return;
  try {
    await runHeld(site, {
      workspace,
      config,
      agent: agent.value,
      flags,
      instructions,
      talk,
      ...(earlier === undefined ? {} : { earlier }),
      ...(notifier.value === undefined ? {} : { notifier: notifier.value }),
    });
  } finally {
    removeFile(workspace.paths.stop);
    lock.release();
  }
}

/** Two ways to say how much is said are one too many. */
function levelProblem(flags: RunFlags): string | undefined {
  const given = [flags.verbose === true, flags.quiet === true, flags.output !== undefined];
  if (given.filter(Boolean).length > 1) return 'Use only one of --verbose, --quiet and --output.';
  if (flags.output !== undefined && !OUTPUT_LEVELS.includes(flags.output))
    return `Invalid output level: ${flags.output}. Use quiet, progress or verbose.`;
  return undefined;
}

interface HeldRun {
  readonly workspace: OpenedWorkspace;
  readonly config: Config;
  readonly agent: ChosenAgent;
  readonly flags: RunFlags;
  readonly instructions: string;
  readonly notifier?: Notifier;
  readonly earlier?: EarlierRun;
  /** Where something is said besides: above the panel, once there is one. */
  readonly talk: { say(text: string): void };
}

async function runHeld(site: IterateSite, held: HeldRun): Promise<void> {
  const { context } = site;
  const { workspace, config, flags } = held;
  removeFile(workspace.paths.stop);
  const earlier = held.earlier ?? (flags.dryRun === true ? undefined : lookForEarlier(site, workspace));
  if (earlier !== undefined && !(await isOurs(site, earlier)))
    return refuse(
      context,
      `run \`${earlier.runId}\` of this workspace was not started by you on this machine`,
    );
  const runId = earlier?.runId ?? newRunId(context.workspace);
  const made = iterateInput({ ...held, projectRoot: context.workspace, runId });
  if (made.type === 'error') return refuse(context, made.error);
  const input = earlier === undefined ? made.value : continuedInput(earlier.input, made.value);
  const level = config.get<OutputLevel>('outputLevel');
  if (earlier !== undefined && !isDeepStrictEqual(judgedBy(input), judgedBy(made.value)))
    context.err('warning: this run goes on with the checks and the verification it was started with\n');
  if (level !== 'quiet') await announce(site, held);
  const views = createViews(context, { ...held, input, level, earlier: earlier?.events ?? [] });
  held.talk.say = (text) => views.say(text);
  const stopListening = listenForKeys({
    onStop: () => replaceFile(workspace.paths.stop, '', { mode: 0o644 }),
    onSuspend: () => views.leave(),
    onContinue: () => views.comeBack(),
  });
  try {
    const change = { input: asJson(input), facts: factsOf(input) };
    const plan: RunPlan = {
      runId,
      workspace: context.workspace,
      kind: 'iterate',
      title: input.name,
      begin:
        earlier === undefined
          ? { type: 'new', program: ITERATE_PROGRAM, ...change }
          : { type: 'resume', change },
      secrets: [],
    };
    const { exitCode } = await carryOutHere(
      context,
      { plan },
      {
        output: { verbose: level === 'verbose' },
        secretValues: notifySecrets(config.get<string | undefined>('notifyUrl')),
        reporter: views,
      },
    );
    context.exitCode = contractCode(exitCode);
  } finally {
    stopListening();
    views.close();
    await held.notifier?.drain();
  }
}

async function isOurs({ context, trust }: IterateSite, earlier: EarlierRun): Promise<boolean> {
  return (await withTrust(context, { trust }, () => mayResume(siteOf(context), earlier))) !== 'not-trusted';
}

function judgedBy({ checks, verification }: IterateInput): object {
  return { checks, verification };
}

/** By what the metadata says now: another run may have ended since it was read. */
function lookForEarlier(
  { context, workspacesDir }: IterateSite,
  { name }: OpenedWorkspace,
): EarlierRun | undefined {
  const workspace = loadWorkspace(workspacesDir, name);
  return workspace.type === 'ok' ? unfinishedRun(context, workspace.value.metadata) : undefined;
}

async function announce({ context }: IterateSite, { agent, flags }: HeldRun): Promise<void> {
  if (flags.dangerouslySkipPermissions === true)
    context.err('⚠️ Permission prompts are skipped: the agent may change files and run commands unasked.\n');
  if (flags.dryRun === true) {
    context.err('Dry run: the built-in agent plays the task through.\n');
    return;
  }
  const version = await agentVersion(agent, new AbortController().signal);
  if (version !== undefined) context.err(`Agent: ${agent.name} ${version}\n`);
}

function factsOf(input: IterateInput): JsonObject {
  return { iterate_workspace: input.workspacePath, mode: input.mode, max_iterations: input.maxIterations };
}

function asJson(input: IterateInput): JsonValue {
  return input as unknown as JsonValue;
}
