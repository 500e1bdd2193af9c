/** Everything a run needs, understood and checked before anything is started. */
import type { Config } from '../../../iterate/config/layers.ts';
import { splitWords } from '../../../iterate/config/split-words.ts';
import type { IterateInput, TaskInput } from '../../../iterate/input.ts';
import { type Depth, MODE_MAX_ITERATIONS, type OutputLevel } from '../../../iterate/mode.ts';
import { readTextIfThere } from '../../../iterate/workspace/workspaces.ts';
import type { RunId } from '../../../model/ids.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { commandLine, type OpenedWorkspace } from '../site/site.ts';
import type { ChosenAgent } from './agent.ts';

export interface RunFlags {
  readonly maxIterations?: number;
  /** False: `--no-delay`. */
  readonly delay?: number | false;
  readonly stagnationThreshold?: number;
  readonly verbose?: boolean;
  readonly quiet?: boolean;
  readonly output?: OutputLevel;
  readonly dangerouslySkipPermissions?: boolean;
  readonly dryRun?: boolean;
  readonly agent?: string;
  readonly budgetUsd?: number;
  readonly iterationTimeout?: number;
  readonly verify?: boolean;
  readonly check?: readonly string[];
}

/** The settings with what was given on the command line in front. */
export function configFor(workspace: OpenedWorkspace, flags: RunFlags): Config {
  return workspace.config.with(
    commandLine({
      defaultMaxIterations: flags.maxIterations,
      defaultDelay: flags.delay === false ? 0 : flags.delay,
      defaultStagnationThreshold: flags.stagnationThreshold,
      outputLevel:
        flags.output ?? (flags.verbose === true ? 'verbose' : flags.quiet === true ? 'quiet' : undefined),
      agent: flags.agent,
      checks: flags.check,
      'verification.autoVerify': flags.verify,
    }),
  );
}

export interface RunBasis {
  readonly workspace: OpenedWorkspace;
  readonly projectRoot: string;
  readonly config: Config;
  readonly agent: ChosenAgent;
  readonly flags: Pick<RunFlags, 'dangerouslySkipPermissions' | 'dryRun' | 'iterationTimeout' | 'budgetUsd'>;
  readonly instructions: string;
  readonly runId: RunId;
}

export function taskInput(basis: RunBasis): TaskInput {
  const { workspace, config, flags } = basis;
  const idleMin = config.get<number>('idleTimeoutMin');
  return {
    runId: basis.runId,
    name: workspace.name,
    mode: workspace.metadata.mode,
    projectRoot: basis.projectRoot,
    workspacePath: workspace.paths.folder,
    instructions: basis.instructions,
    agent: basis.agent.choice,
    ...(flags.dangerouslySkipPermissions === true ? { permissions: 'bypass' } : {}),
    ...(flags.iterationTimeout === undefined ? {} : { timeoutMs: flags.iterationTimeout * 1000 }),
    ...(idleMin === 0 ? {} : { idleTimeoutMs: Math.round(idleMin * 60_000) }),
    retry: {
      maxAttempts: config.get<number>('retry.maxAttempts'),
      delaysMs: config.get<readonly number[]>('retry.delaysSec').map((seconds) => seconds * 1000),
    },
    ...(flags.dryRun === true ? { dryRun: true } : {}),
  };
}

export function iterateInput(basis: RunBasis): Result<IterateInput, string> {
  const { workspace, config, flags } = basis;
  const checks: (readonly string[])[] = [];
  for (const text of config.get<readonly string[]>('checks')) {
    const words = splitWords(text);
    if (words.type === 'error') return error(`the check cannot be run: ${words.error}`);
    checks.push(words.value);
  }
  const statusInstructions = readTextIfThere(workspace.paths.statusInstructions);
  return ok({
    ...taskInput(basis),
    ...(statusInstructions === undefined ? {} : { statusInstructions }),
    maxIterations:
      config.get<number | undefined>('defaultMaxIterations') ?? MODE_MAX_ITERATIONS[workspace.metadata.mode],
    delayMs: config.get<number>('defaultDelay') * 1000,
    stagnationThreshold: config.get<number>('defaultStagnationThreshold'),
    ...(flags.budgetUsd === undefined ? {} : { budgetUsd: flags.budgetUsd }),
    checks,
    verification: {
      autoVerify: config.get<boolean>('verification.autoVerify'),
      resumeOnFail: config.get<boolean>('verification.resumeOnFail'),
      maxAttempts: config.get<number>('verification.maxAttempts'),
      reportFilename: config.get<string>('verification.reportFilename'),
      depth: config.get<Depth>('verification.depth'),
    },
  });
}

/**
 * A run that goes on keeps what its journal was made with — mode, checks, verification — and takes what may change at any
 * iteration from now: instructions, limits, agent.
 */
export function continuedInput(pinned: IterateInput, now: IterateInput): IterateInput {
  const { mode, checks, verification, runId } = pinned;
  return { ...now, mode, checks, verification, runId };
}
