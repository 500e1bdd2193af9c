/** The command that runs a loop again, as a user would type it. */
import type { RunOptions } from '../../../iterate/run-options.ts';
import { quoteWord } from '../../../template/quote.ts';

export interface Again {
  readonly name: string;
  /** If the workspaces are not where the settings say. */
  readonly workspacesDir?: string | undefined;
  /** For a new run; a resumed one keeps its options. */
  readonly options?: RunOptions;
}

export function againText(again: Again): string {
  return `claude-iterate ${againWords(again).map(quoteWord).join(' ')}`;
}

/** Its arguments. */
export function againWords({ name, workspacesDir, options = {} }: Again): readonly string[] {
  const { budget = {} } = options;
  return [
    ...flag('--workspaces-dir', workspacesDir),
    'run',
    name,
    ...flag('--max-iterations', options.maxIterations),
    ...(options.delay === 0 ? ['--no-delay'] : flag('--delay', options.delay)),
    ...flag('--stagnation-threshold', options.stagnationThreshold),
    ...flag('--agent', options.agent),
    ...(options.fallback ?? []).flatMap((agent) => flag('--fallback', agent)),
    ...(options.skipsPermissions === true ? ['--dangerously-skip-permissions'] : []),
    ...flag('--budget-usd', budget.usd),
    ...flag('--budget-tokens', budget.tokens),
    ...flag('--budget-calls', budget.calls),
    ...flag('--budget-minutes', budget.minutes),
    ...flag('--iteration-timeout', options.timeoutMs === undefined ? undefined : options.timeoutMs / 1000),
    ...(options.checkpoint === true ? ['--checkpoint'] : []),
    ...flag('--branch', options.branch),
    ...(options.worktree === true ? ['--worktree'] : []),
    ...(options.verifies === undefined ? [] : [options.verifies ? '--verify' : '--no-verify']),
    ...(options.checks ?? []).flatMap((check) => flag('--check', check)),
  ];
}

function flag(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [name, String(value)];
}
