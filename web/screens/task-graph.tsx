/** Which task waits for which: each stands to the right of everything it needs. Linear in tasks and dependencies. */
import { Graph, GraphArrow, GraphNode, LONGEST_NAME } from '../graph.tsx';
import { shortText, TONE } from '../words.ts';
import { TASK_ICONS, type Task } from './task.ts';

const WIDTH = 188;
const HEIGHT = 46;
const GAP_X = 44;
const GAP_Y = 12;
const MOST = 200;

interface Placed {
  readonly task: Task;
  readonly x: number;
  readonly y: number;
}

export function TaskGraph(props: {
  readonly tasks: readonly Task[];
  readonly selected: string;
  onSelect(task: string): void;
}) {
  const placed = place(props.tasks.slice(0, MOST));
  const byId = new Map(placed.map((each) => [each.task.id, each]));
  const width = Math.max(...placed.map(({ x }) => x)) + WIDTH + 16;
  const height = Math.max(...placed.map(({ y }) => y)) + HEIGHT + 16;
  return (
    <Graph label="Dependencies of the tasks" width={width} height={height}>
      {placed.flatMap((end) =>
        needs(end.task, byId).map((start) => (
          <GraphArrow
            key={`${start.task.id} ${end.task.id}`}
            path={edge(start, end)}
            isPlanned={start.task.status !== 'completed'}
          />
        )),
      )}
      {placed.map(({ task, x, y }) => {
        const icon = TASK_ICONS[task.status] ?? 'skipped';
        return (
          <GraphNode
            key={task.id}
            box={{ x, y, width: WIDTH, height: HEIGHT }}
            name={task.id}
            title={`${task.id} ${task.title}: ${task.status}`}
            meta={shortText(task.title, LONGEST_NAME)}
            icon={icon}
            tone={task.status === 'pending' ? 'plan' : (TONE[icon] ?? 'plan')}
            isSelected={task.id === props.selected}
            onSelect={() => props.onSelect(task.id)}
          />
        );
      })}
    </Graph>
  );
}

/** A task that needs a container needs everything in it. */
function needs(task: Task, byId: ReadonlyMap<string, Placed>): readonly Placed[] {
  return task.depends_on.flatMap((id) => {
    const direct = byId.get(id);
    if (direct !== undefined) return [direct];
    return [...byId.values()].filter((each) => each.task.id.startsWith(`${id}.`));
  });
}

function place(tasks: readonly Task[]): readonly Placed[] {
  const byId = new Map(tasks.map((task) => [task.id, { task, x: 0, y: 0 }]));
  const levels = new Map<string, number>();
  const levelOf = (task: Task, above: readonly string[] = []): number => {
    const known = levels.get(task.id);
    if (known !== undefined) return known;
    // A circular dependency is reported by the session itself.
    if (above.includes(task.id)) return 0;
    const before = needs(task, byId).map((each) => levelOf(each.task, [...above, task.id]) + 1);
    const level = Math.max(0, ...before);
    levels.set(task.id, level);
    return level;
  };
  const counts = new Map<number, number>();
  return tasks.map((task) => {
    const level = levelOf(task);
    const row = counts.get(level) ?? 0;
    counts.set(level, row + 1);
    return { task, x: 16 + level * (WIDTH + GAP_X), y: 16 + row * (HEIGHT + GAP_Y) };
  });
}

function edge(start: Placed, end: Placed): string {
  const [x1, y1] = [start.x + WIDTH, start.y + HEIGHT / 2];
  const [x2, y2] = [end.x - 4, end.y + HEIGHT / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}
