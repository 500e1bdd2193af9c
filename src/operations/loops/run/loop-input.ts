/** Everything a run needs, checked before anything is started. */
import type { Config } from '../../../iterate/config/layers.ts';
import { splitWords } from '../../../iterate/config/split-words.ts';
import type { FallbackAgent, IterateInput, LoopGit, TaskInput } from '../../../iterate/input.ts';
import { limitsIn } from '../../../iterate/loop/limits.ts';
import { type Depth, MODE_MAX_ITERATIONS } from '../../../iterate/mode.ts';
import { onlyGiven, type RunOptions } from '../../../iterate/run-options.ts';
import { readTextIfThere } from '../../../iterate/workspace/workspaces.ts';
import { type AskRule, canAsk } from '../../../model/ask-rule.ts';
import { type AskRuleSource, defineAsk } from '../../../model/ask-schema.ts';
import { defined } from '../../../model/defined.ts';
import type { RunId } from '../../../model/ids.ts';
import { isSameJson } from '../../../model/json.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import {
  chooseSandbox,
  type NetworkLevel,
  type SandboxChoice,
  type SandboxLevel,
} from '../../../model/sandbox.ts';
import { portablePath } from '../../../store/portable-path.ts';
import type { Problem } from '../../problem.ts';
import { type ChosenAgent, knowsItsCost } from '../site/agent.ts';
import type { OpenedWorkspace } from '../site/find-loop.ts';
import { givenLayer } from '../site/loops.ts';

/** The agent and its permissions. */
export interface WithAgent extends Pick<RunOptions, 'agent' | 'fallback' | 'skipsPermissions'> {
  readonly isDry?: boolean | undefined;
}

/** Options of one run; they override every settings file. */
export interface GivenForRun extends RunOptions, WithAgent {
  readonly level?: string | undefined;
}

/** The settings, overridden by the run's options. */
export function configFor({ config }: OpenedWorkspace, given: GivenForRun): Config {
  return config.with(
    givenLayer({
      defaultMaxIterations: given.maxIterations,
      defaultDelay: given.delay,
      defaultStagnationThreshold: given.stagnationThreshold,
      outputLevel: given.level,
      agent: given.agent,
      fallback: given.fallback,
      checks: given.checks,
      'git.checkpoint': given.checkpoint,
      'git.branch': given.branch,
      'git.worktree': given.worktree,
      'verification.autoVerify': given.verifies,
    }),
  );
}

export interface RunBasis {
  readonly workspace: OpenedWorkspace;
  readonly projectRoot: string;
  readonly config: Config;
  readonly agent: ChosenAgent;
  readonly fallback: readonly ChosenAgent[];
  readonly given: GivenForRun;
  readonly instructions: string;
  readonly runId: RunId;
}

export function taskInput(basis: RunBasis): TaskInput {
  const { workspace, config, given } = basis;
  const idleMin = config.get<number>('idleTimeoutMin');
  return {
    runId: basis.runId,
    name: workspace.name,
    mode: workspace.metadata.mode,
    projectRoot: '.',
    workspacePath: portablePath(basis.projectRoot, workspace.paths.folder),
    instructions: basis.instructions,
    agent: basis.agent.choice,
    agentName: basis.agent.name,
    ...(basis.fallback.length === 0 ? {} : { fallback: basis.fallback.map(fallbackAgent) }),
    ...(knowsItsCost(basis.agent) ? { limitsSpending: true } : {}),
    ...(given.skipsPermissions === true ? { permissions: 'bypass' } : {}),
    ...defined({ sandbox: sandboxOf(basis), ask: askOf(basis) }),
    ...defined({ timeoutMs: given.timeoutMs }),
    ...(idleMin === 0 ? {} : { idleTimeoutMs: Math.round(idleMin * 60_000) }),
    retry: {
      maxAttempts: config.get<number>('retry.maxAttempts'),
      delaysMs: config.get<readonly number[]>('retry.delaysSec').map((seconds) => seconds * 1000),
    },
    ...(given.isDry === true ? { dryRun: true } : {}),
  };
}

/** The agent writes its status there at every level. */
function sandboxOf({ config, workspace, projectRoot }: RunBasis): SandboxChoice | undefined {
  const chosen = chooseSandbox({
    level: config.get<SandboxLevel | 'off'>('sandbox'),
    network: config.get<NetworkLevel>('network'),
    allowHosts: config.get<readonly string[]>('allowHosts'),
  });
  return chosen === undefined
    ? undefined
    : { ...chosen, writable: [portablePath(projectRoot, workspace.paths.folder)] };
}

/** Undefined: those of the workspace apply. A dry run has no tool calls. */
function askOf({ config, given }: RunBasis): readonly AskRule[] | undefined {
  const rules = config.get<readonly AskRuleSource[] | undefined>('ask');
  return rules === undefined || given.isDry === true ? undefined : defineAsk(rules);
}

/** Rules that an agent cannot keep must not look as if it did. */
function unguarded(basis: RunBasis): Problem | undefined {
  if ((askOf(basis) ?? []).length === 0) return undefined;
  const unable = [basis.agent, ...basis.fallback].find(
    ({ choice }) => choice.type !== 'builtin' || !canAsk(choice.adapter),
  );
  return unable === undefined ? undefined : { type: 'agent-cannot-ask', agent: unable.name };
}

function fallbackAgent(agent: ChosenAgent): FallbackAgent {
  const { name, choice } = agent;
  return { name, choice, ...(knowsItsCost(agent) ? { limitsSpending: true } : {}) };
}

export function iterateInput(basis: RunBasis): Result<IterateInput, Problem> {
  const { workspace, config, given } = basis;
  const unkept = unlimited(basis) ?? unguarded(basis);
  if (unkept !== undefined) return error(unkept);
  const checks: (readonly string[])[] = [];
  for (const text of config.get<readonly string[]>('checks')) {
    const words = splitWords(text);
    if (words.type === 'error') return error({ type: 'invalid-check', reason: words.error });
    checks.push(words.value);
  }
  const statusInstructions = readTextIfThere(workspace.paths.statusInstructions);
  return ok({
    ...taskInput(basis),
    ...defined({ statusInstructions }),
    maxIterations:
      config.get<number | undefined>('defaultMaxIterations') ?? MODE_MAX_ITERATIONS[workspace.metadata.mode],
    delayMs: config.get<number>('defaultDelay') * 1000,
    stagnationThreshold: config.get<number>('defaultStagnationThreshold'),
    ...defined({ budget: given.budget, git: gitOf(config) }),
    given: onlyGiven(given),
    checks,
    checkTimeoutMs: config.get<number>('checkTimeoutSec') * 1000,
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
 * A resumed run keeps the mode, checks and verification recorded in its journal, since earlier iterations were judged by
 * them. Its instructions are read again, and new limits apply from the next iteration.
 */
export function continuedInput(
  earlier: { readonly input: IterateInput; readonly iterations: number },
  now: IterateInput,
): IterateInput {
  const { mode, checks, verification, runId, git, earlierLimits = [] } = earlier.input;
  const { git: _, ...current } = now;
  const before = limitsIn(earlier.input);
  const isSame = earlier.iterations === 0 || isSameJson(before, limitsIn(now));
  const limits = [...earlierLimits, ...(isSame ? [] : [{ ...before, until: earlier.iterations }])];
  return {
    ...{ ...current, mode, checks, verification, runId },
    ...defined({ git }),
    ...(limits.length === 0 ? {} : { earlierLimits: limits }),
  };
}

/** Undefined: the loop leaves git alone. A branch is for commits, so naming one asks for them. */
function gitOf(config: Config): LoopGit | undefined {
  const branch = config.get<string | undefined>('git.branch');
  const checkpoint = config.get<boolean>('git.checkpoint') || branch !== undefined;
  const worktree = config.get<boolean>('git.worktree');
  return checkpoint || worktree ? { checkpoint, worktree, ...defined({ branch }) } : undefined;
}

/** A budget in money limits nothing if the agent does not report what it costs. */
function unlimited({ agent, fallback, given }: RunBasis): Problem | undefined {
  const { usd, tokens, calls, minutes } = given.budget ?? {};
  const isLimited = [tokens, calls, minutes].some((limit) => limit !== undefined);
  const silent = [agent, ...fallback].find((each) => !knowsItsCost(each));
  if (usd === undefined || given.isDry === true || isLimited || silent === undefined) return undefined;
  return { type: 'budget-without-cost', agent: silent.name };
}
