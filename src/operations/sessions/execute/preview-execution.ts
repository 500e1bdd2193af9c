/** The order in which tasks would start if each one succeeded. */
import { error, ok, type Result } from '../../../model/result.ts';
import type { TaskGraph } from '../../../session/document/task-graph.ts';
import type { PlannedTask } from '../../../session/execute/input.ts';
import { nextToStart } from '../../../session/execute/schedule.ts';
import type { SessionId, TaskId } from '../../../session/ids.ts';
import { loadGraph } from '../../../session/sessions/tasks.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { agentOptions } from '../agent.ts';
import { openUnfinished } from '../open-session.ts';
import { soundTasks } from '../tasks/validate-tasks.ts';
import { chooseTasks } from './choose-tasks.ts';
import type { ExecuteTasks } from './execute-tasks.ts';

export interface ExecutionPreview {
  readonly session: SessionId;
  /** The agent's name or command line. */
  readonly agent: string;
  readonly isCommand: boolean;
  readonly maxParallel: number;
  /** Each stage starts when the previous one is done. */
  readonly waves: readonly (readonly PreviewedTask[])[];
  /** Tasks whose dependencies are not part of this run. */
  readonly left: readonly PreviewedTask[];
}

export interface PreviewedTask {
  readonly id: TaskId;
  readonly title: string;
  readonly waitsFor: readonly TaskId[];
}

/** Undefined: every task is completed. */
export function previewExecution(
  site: Site,
  asked: ExecuteTasks,
): Result<ExecutionPreview | undefined, Problem> {
  const { tasks: names = [], maxParallel = 1, worktree = false } = asked;
  const options = agentOptions(asked);
  if (options.type === 'error') return options;
  const session = openUnfinished(site, asked.session);
  if (session.type === 'error') return session;
  const sound = soundTasks(session.value);
  if (sound.type === 'error') return error(sound.error);
  const graph = loadGraph(session.value);
  const chosen = chooseTasks(graph, names);
  if (chosen.type === 'error') return chosen;
  if (chosen.value === undefined) return ok(undefined);
  const { agent } = options.value;
  return ok({
    session: session.value.id,
    agent: agent.type === 'builtin' ? agent.adapter : agent.argv.join(' '),
    isCommand: agent.type !== 'builtin',
    maxParallel,
    ...wavesOf(graph, { tasks: chosen.value.planned, maxParallel, worktree }),
  });
}

function wavesOf(
  graph: TaskGraph,
  {
    tasks,
    maxParallel,
    worktree,
  }: { readonly tasks: readonly PlannedTask[]; readonly maxParallel: number; readonly worktree: boolean },
): Pick<ExecutionPreview, 'waves' | 'left'> {
  const previewed = ({ id, waitsFor }: PlannedTask): PreviewedTask => ({
    id,
    title: graph.byId.get(id)?.title ?? '',
    waitsFor,
  });
  const waiting = new Map(tasks.map((task) => [task.id, task]));
  const completed = new Set<TaskId>();
  const waves: (readonly PreviewedTask[])[] = [];
  for (;;) {
    const wave = nextToStart({
      waiting: [...waiting.values()],
      running: [],
      completed,
      limit: maxParallel,
      separate: worktree,
    });
    if (wave.length === 0) return { waves, left: [...waiting.values()].map(previewed) };
    waves.push(wave.map(previewed));
    for (const { id } of wave) {
      waiting.delete(id);
      completed.add(id);
    }
  }
}
