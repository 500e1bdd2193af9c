/** What `execute --dry-run` says: who would begin when, if everything went well. */
import { printableLine } from '../../report/text/printable.ts';
import type { ExecuteInput, PlannedTask } from '../../session/execute/input.ts';
import { nextToStart } from '../../session/execute/schedule.ts';
import type { TaskId } from '../../session/ids.ts';
import type { Session } from '../../session/sessions.ts';
import type { TaskGraph } from '../../session/task-graph.ts';

export function renderDryRun(session: Session, graph: TaskGraph, input: ExecuteInput): string {
  const { waves, left } = wavesOf(input);
  const count = waves.reduce((sum, wave) => sum + wave.length, 0);
  const { agent } = input;
  const worker = agent.type === 'builtin' ? agent.adapter : `\`${agent.argv.join(' ')}\``;
  const lines = [
    `${session.id}: ${count} ${count === 1 ? 'task' : 'tasks'} would be executed by ${worker}, at most ${input.maxParallel} at once`,
  ];
  waves.forEach((wave, index) => {
    wave.forEach((task, place) => {
      const number = place === 0 ? `${index + 1}.`.padStart(4) : '    ';
      const after = task.waitsFor.length === 0 ? '' : `  after ${task.waitsFor.join(', ')}`;
      lines.push(`${number} ${task.id}  ${printableLine(graph.byId.get(task.id)?.title ?? '')}${after}`);
    });
  });
  for (const task of left) {
    lines.push(`not executed: ${task.id} waits for ${task.waitsFor.join(', ')}`);
  }
  return `${lines.join('\n')}\n`;
}

function wavesOf(input: ExecuteInput): {
  readonly waves: readonly (readonly PlannedTask[])[];
  readonly left: readonly PlannedTask[];
} {
  const waiting = new Map(input.tasks.map((task) => [task.id, task]));
  const completed = new Set<TaskId>();
  const waves: (readonly PlannedTask[])[] = [];
  for (;;) {
    const wave = nextToStart({
      waiting: [...waiting.values()],
      running: [],
      completed,
      limit: input.maxParallel,
      separate: input.worktree,
    });
    if (wave.length === 0) return { waves, left: [...waiting.values()] };
    waves.push(wave);
    for (const { id } of wave) {
      waiting.delete(id);
      completed.add(id);
    }
  }
}
