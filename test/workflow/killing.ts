/** Kills runs at every record of their journal, and checks that resuming leads to the same end without repeating completed work. */
import { expect } from 'vitest';
import { killAt } from '../rig/kill-at.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { markedProcesses } from './runs.ts';

/** Every command counts its runs in a file named by its key, and always prints the same. */
const NOTE = `mkdir -p counts
key=$(printf %s "$ORCHESTRATE_STEP" | tr / .)
echo x >> "counts/$key"
echo "$key $1"
`;
export const note = (name: string, word = 'x') => `{name: ${name}, command: [bash, note.sh, "${word}"]}`;

export function workspaceWith(yaml: string): Workspace {
  return new Workspace({ 'w.yaml': yaml, 'note.sh': NOTE, 'inbox/a': 'a', 'inbox/b': 'b' });
}

interface Event {
  readonly type: string;
  readonly key?: string;
  readonly effect?: string;
}

/** Keys of commands that are running according to the journal: started, and neither ended nor between two attempts. */
export function inFlight(workspace: Workspace): ReadonlySet<string> {
  const open = new Set<string>();
  for (const { type, key = '', effect } of workspace.journal() as readonly Event[]) {
    if (type === 'step-started' && effect === 'run-command') open.add(key.replaceAll('/', '.'));
    if (type === 'step-ended' || type === 'attempt-ended') open.delete(key.replaceAll('/', '.'));
  }
  return open;
}

function counts(workspace: Workspace): { readonly [key: string]: number } {
  const names = workspace.list('counts');
  return Object.fromEntries(names.map((name) => [name, workspace.read(`counts/${name}`).length / 2]));
}

/** What must be the same at the end: everything except times, attempts and marks of the interruption. */
function essence(workspace: Workspace): unknown {
  const state = JSON.parse(
    JSON.stringify(workspace.state(), (key, value) =>
      /(_at|duration_ms|attempts|repeated|run_id|checksum|^journal)$/.test(key) ? undefined : value,
    ),
  );
  for (const loop of Object.values(state.for_each) as { completed_indices: number[] }[]) {
    loop.completed_indices.sort();
  }
  return { ...state, moved: workspace.list('done'), left: workspace.list('inbox') };
}

export interface Kill {
  readonly line: number;
  readonly mode: 'after' | 'before' | 'torn';
}

/** Kills a run at each of these points, then resumes it to its end. */
export async function killedAt(workspace: Workspace, kills: readonly Kill[]): Promise<ReadonlySet<string>> {
  const interrupted = new Set<string>();
  for (const { line, mode } of kills) {
    const argv = workspace.runs().length === 0 ? ['run', 'w.yaml'] : ['resume', 'last'];
    const env = killAt({ when: mode, kind: 'write', file: 'journal.jsonl', number: line });
    const ended = await workspace.run(argv, { env });
    if (ended.signal !== 'SIGKILL') {
      expect(ended).toMatchObject({ exitCode: 0 });
      return interrupted;
    }
    for (const key of inFlight(workspace)) interrupted.add(key);
  }
  expect(await workspace.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
  return interrupted;
}

export function expectSameEnd(
  workspace: Workspace,
  expected: Workspace,
  interrupted: ReadonlySet<string>,
): void {
  expect(essence(workspace)).toEqual(essence(expected));
  const twice = Object.entries(counts(workspace)).filter(
    ([key, count]) => count > (counts(expected)[key] ?? 0),
  );
  expect(twice.map(([key]) => key).filter((key) => !interrupted.has(key))).toEqual([]);
  expect(Object.keys(counts(workspace))).toEqual(Object.keys(counts(expected)));
  expect(markedProcesses(workspace.runs()[0] ?? '')).toEqual([]);
}

export async function undisturbed(yaml: string): Promise<Workspace> {
  const workspace = workspaceWith(yaml);
  expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
  return workspace;
}

/** Kills a run at each line of its journal: before it, after it, or within it. */
export async function killedAtEveryLine(yaml: string): Promise<void> {
  const expected = await undisturbed(yaml);
  const lines = expected.journal().length + 1;
  const modes = ['after', 'torn', 'before'] as const;
  // The first line is the header and the second starts the run; before that there is nothing to resume.
  const moments = Array.from({ length: lines - 2 }, (_, index) => index + 3);
  const lane = async (): Promise<void> => {
    for (let line = moments.shift(); line !== undefined; line = moments.shift()) {
      const workspace = workspaceWith(yaml);
      const mode = modes[line % 3] ?? 'after';
      const interrupted = await killedAt(workspace, [{ line, mode }]);
      try {
        expectSameEnd(workspace, expected, interrupted);
      } catch (problem) {
        throw new Error(`killed ${mode} line ${line}`, { cause: problem });
      }
      workspace.remove('.');
    }
  };
  await Promise.all([lane(), lane()]);
}
