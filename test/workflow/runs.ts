/** What the tests of the language ask of a run. */
import type { Workspace } from '../rig/orchestrate.ts';

interface Event {
  readonly type: string;
  readonly key?: string;
  readonly effect?: string;
}

/** Keys of the commands and agents that were really started, in order. */
export function startedSteps(workspace: Workspace, runId?: string): readonly string[] {
  return (workspace.journal(runId) as readonly Event[])
    .filter((event) => event.type === 'step-started' && event.effect?.startsWith('run-'))
    .map((event) => event.key ?? '');
}

/** A step that only notes that it ran: `  - name: A` with a command that succeeds. */
export function quiet(name: string, rest = ''): string {
  return `  - name: ${name}\n    command: ["true"]\n${rest}`;
}

/** A step whose command ends with this exit code. */
export function exiting(name: string, code: number, rest = ''): string {
  return `  - name: ${name}\n    command: [bash, -c, "exit ${code}"]\n${rest}`;
}
