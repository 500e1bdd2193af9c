/** The agent of a workspace, and whether it can be started. */
import { ADAPTERS } from '../../../agents/adapters/all.ts';
import type { AgentChoice } from '../../../effects/contracts.ts';
import type { Config } from '../../../iterate/config/layers.ts';
import { splitWords } from '../../../iterate/config/split-words.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { childEnvironment } from '../../../process/environment.ts';
import { findProgram } from '../../../process/find-program.ts';
import { runProcess } from '../../../process/run-process.ts';
import type { Problem } from '../../problem.ts';
import type { AgentPermissions } from '../../run-plan.ts';
import type { Site } from '../../site.ts';

export interface ChosenAgent {
  /** The name the user gave. */
  readonly name: string;
  /** The program and its first arguments. */
  readonly command: readonly string[];
  readonly choice: AgentChoice;
}

/** The agent and its fallback list, if their programs are on `PATH`; `isElsewhere`: this machine does not run them. */
export function chooseAgents(
  site: Site,
  config: Config,
  { isElsewhere = false }: { readonly isElsewhere?: boolean } = {},
): Result<readonly [ChosenAgent, ...ChosenAgent[]], Problem> {
  const first = chooseAgent(site, config, { name: config.get<string>('agent'), isElsewhere });
  if (first.type === 'error') return first;
  const chosen: [ChosenAgent, ...ChosenAgent[]] = [first.value];
  for (const name of config.get<readonly string[]>('fallback')) {
    const next = chooseAgent(site, config, { name, isElsewhere });
    if (next.type === 'error') return next;
    if (!chosen.some((each) => each.name === name)) chosen.push(next.value);
  }
  return ok(chosen);
}

/** The agent, if its program is on `PATH`. */
export function chooseAgent(
  site: Site,
  config: Config,
  { name: asked, isElsewhere = false }: { readonly name: string; readonly isElsewhere?: boolean },
): Result<ChosenAgent, Problem> {
  const agent = agentCalled(asked, config);
  if (agent.type === 'error' || isElsewhere) return agent;
  const { name, command } = agent.value;
  const [program = ''] = command;
  if (findProgram(program, site.environment['PATH']) !== undefined) return agent;
  return error({ type: 'loop-agent-missing', agent: name, program });
}

export function agentCalled(name: string, config: Config): Result<ChosenAgent, Problem> {
  switch (name) {
    case 'claude': {
      const command = [config.get<string>('claude.command')];
      const extraArgs = config.get<readonly string[]>('claude.args');
      return ok({ name, command, choice: { type: 'builtin', adapter: 'claude', command, extraArgs } });
    }
    case 'gemini':
    case 'codex':
    case 'opencode':
    case 'copilot':
    case 'qwen':
      return ok({ name, command: [name], choice: { type: 'builtin', adapter: name } });
  }
  const words = splitWords(name);
  if (words.type === 'error') return error({ type: 'invalid-agent', reason: words.error });
  return ok({
    name,
    command: words.value,
    choice: { type: 'template', name: 'command', adapter: 'plain', argv: words.value, inputMode: 'stdin' },
  });
}

/** It reports what each call costs, and stops when it has spent its budget. */
export function knowsItsCost({ choice }: Pick<ChosenAgent, 'choice'>): boolean {
  return choice.type === 'builtin' && ADAPTERS[choice.adapter].limitsBudget;
}

const SKIPS_PERMISSIONS = /^(?:--dangerously-skip-permissions|--permission-mode=bypassPermissions)$/;
const SETS_PERMISSIONS = /^--(?:permission-|allowed-?tools|settings\b)/i;

export function permissionsOf(
  { choice }: Pick<ChosenAgent, 'choice'>,
  { skipsPermissions, asks }: { readonly skipsPermissions?: boolean | undefined; readonly asks: boolean },
): AgentPermissions {
  // A user's own command has permissions of its own.
  if (choice.type !== 'builtin') return 'set';
  const { extraArgs = [] } = choice;
  const isBypass = (word: string, at: number): boolean =>
    SKIPS_PERMISSIONS.test(word) ||
    (word === '--permission-mode' && extraArgs[at + 1] === 'bypassPermissions');
  if (skipsPermissions === true || extraArgs.some(isBypass)) return 'all';
  if (extraArgs.some((word) => SETS_PERMISSIONS.test(word))) return 'set';
  return asks ? 'asked' : 'own-settings';
}

const VERSION_TIMEOUT_MS = 15_000;

/** The version a known CLI reports, if any. */
export async function agentVersion(
  { workspace, environment }: Site,
  { choice, command }: Pick<ChosenAgent, 'choice' | 'command'>,
): Promise<string | undefined> {
  if (choice.type !== 'builtin') return undefined;
  const end = await runProcess({
    argv: [...command, '--version'],
    cwd: workspace,
    env: childEnvironment({ base: environment, runId: '', runMark: 'version', key: 'version' }),
    stdin: { type: 'none' },
    stdout: { files: [], headBytes: 200, tailBytes: 0 },
    stderr: { files: [], headBytes: 0, tailBytes: 0 },
    mask: [],
    timeoutMs: VERSION_TIMEOUT_MS,
    signal: new AbortController().signal,
  });
  if (end.type === 'not-started' || end.exitCode !== 0) return undefined;
  return end.stdout.head.toString().trim().split('\n', 1)[0] || undefined;
}
