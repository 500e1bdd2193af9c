import { defined } from '../../model/defined.ts';
import { prepareLoop, type RunOptions } from '../../operations/loops/run/prepare-loop.ts';

import { refuse } from '../refuse.ts';
import { prepareAndRun } from '../running/carry-out.ts';
import { withEngine } from '../running/uses-workers.ts';
import { type IterateCommand, trustFlags } from './command.ts';

export interface RunFlags {
  readonly maxIterations?: number;
  /** False with `--no-delay`. */
  readonly delay?: number | false;
  readonly stagnationThreshold?: number;
  readonly verbose?: boolean;
  readonly quiet?: boolean;
  readonly output?: string;
  readonly dangerouslySkipPermissions?: boolean;
  readonly dryRun?: boolean;
  readonly agent?: string;
  readonly fallback?: readonly string[];
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly budgetCalls?: number;
  readonly budgetMinutes?: number;
  readonly iterationTimeout?: number;
  readonly checkpoint?: boolean;
  readonly branch?: string;
  readonly worktree?: boolean;
  readonly verify?: boolean;
  readonly check?: readonly string[];
  readonly detach?: boolean;
  readonly engine?: boolean;
}

/** Resumes the workspace's last run if it was interrupted. */
export async function run(command: IterateCommand, name: string, flags: RunFlags): Promise<void> {
  const { context, site, settings } = command;
  const { verbose, quiet, output } = flags;
  if ([verbose === true, quiet === true, output !== undefined].filter(Boolean).length > 1) {
    refuse(context, { type: 'several-output-levels' });
    return;
  }
  const level = output ?? (verbose === true ? 'verbose' : quiet === true ? 'quiet' : undefined);
  const { engine } = await withEngine(context, flags);
  const asked = {
    ...{ settings, name, level },
    isDry: flags.dryRun,
    onWorkers: engine,
    ...runOptionsOf(flags),
  };
  const ran = await prepareAndRun(context, () => prepareLoop(site, asked), {
    ...trustFlags(command, name),
    ...(level === undefined ? {} : { quiet: level === 'quiet' }),
    ...defined({ detach: flags.detach, engine }),
  });
  context.exitCode = ran.exitCode;
}

/** The options that a run keeps. */
export function runOptionsOf(flags: RunFlags): RunOptions {
  const { iterationTimeout } = flags;
  return {
    maxIterations: flags.maxIterations,
    delay: flags.delay === false ? 0 : flags.delay,
    stagnationThreshold: flags.stagnationThreshold,
    skipsPermissions: flags.dangerouslySkipPermissions,
    agent: flags.agent,
    fallback: flags.fallback,
    budget: {
      usd: flags.budgetUsd,
      tokens: flags.budgetTokens,
      calls: flags.budgetCalls,
      minutes: flags.budgetMinutes,
    },
    timeoutMs: iterationTimeout === undefined ? undefined : iterationTimeout * 1000,
    checkpoint: flags.checkpoint,
    branch: flags.branch,
    worktree: flags.worktree,
    verifies: flags.verify,
    checks: flags.check,
  };
}
