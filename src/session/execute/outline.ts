/**
 * The steps of a task and their keys. Between a failure and a resume, people edit a task to unblock it: steps are added, removed, renamed,
 * reordered or changed. The task runs as it is then, and no completed step runs twice.
 *
 * S1 A step is known by what it does, not by its name or place. One that does the same as before has its key and so its result.
 * S2 A key never stands for two different steps. A step that is new takes the key it would have had from the beginning if that is free,
 *    otherwise another.
 * S3 Each version of the steps is recorded once, outside the task's own bookkeeping, which is repeated: `outline@1`, `outline@2`.
 */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { canonicalJson, digestOfText } from '../../store/digest.ts';
import { ACCEPTANCE_COMMAND } from '../check/check-flow-control.ts';
import { isToolCall, scriptOf } from '../document/command.ts';
import type { ApproachStep } from '../document/flow.ts';
import type { Task } from '../document/task.ts';
import type { TaskId } from '../ids.ts';

export interface TaskSteps {
  /** In the order of `preAnalysis`. */
  readonly analysis: readonly StepKey[];
  readonly implementation: readonly (Part & { readonly key: StepKey })[];
  /** In the order of `acceptance`. */
  readonly acceptance: readonly StepKey[];
  /** Counts the edits that changed something, from 1. */
  readonly version: number;
  /** Its own dependencies and its parent's. */
  readonly dependsOn: readonly TaskId[];
  /** Dependencies that it did not have when it was started first. */
  readonly addedDependencies: readonly TaskId[];
}

/** Consecutive steps without a command go to the agent together. */
export type Part =
  | { readonly type: 'command'; readonly script: string; readonly output?: string }
  | { readonly type: 'agent'; readonly steps?: readonly ApproachStep[] };

/** One version of the steps, as it is recorded. */
interface Outline {
  readonly dependsOn: readonly string[];
  readonly agent: string;
  readonly steps: readonly Piece[];
}

interface Piece {
  /** The key it has if that is free. */
  readonly wanted: string;
  /** A digest of what it does. */
  readonly does: string;
}

const OUTLINE_KEY = stepKey('outline');
/** Used by the program itself. */
const RESERVED = ['task', 'tree', 'worktree', 'save', 'review', 'outline', 'implementation', 'acceptance'];

/** S3 */
export async function stepsOf(
  durable: OrchestrateDurable,
  task: Task,
  parent: Task | undefined,
): Promise<TaskSteps> {
  const keys = new Keys();
  const dependsOn = [...new Set([...task.dependsOn, ...(parent?.dependsOn ?? [])])];
  let first: Outline | undefined;
  for (let version = 1; ; version += 1) {
    const planned = planOf(task, dependsOn, keys);
    const { output } = await durable.step(
      sideKey(OUTLINE_KEY, `${version}`),
      'remember',
      { value: planned.outline as unknown as JsonValue },
      { syncWithNext: true },
    );
    const recorded = output.value as unknown as Outline;
    first ??= recorded;
    const given = keys.give(recorded.steps);
    if (canonicalJson(output.value) !== canonicalJson(planned.outline as unknown as JsonValue)) continue;
    const { analysis, parts } = planned;
    const before = new Set(first.dependsOn);
    const implementation = parts.map((part, index) => ({ ...part, key: given[analysis + index] as StepKey }));
    return {
      analysis: given.slice(0, analysis),
      implementation,
      acceptance: given.slice(analysis + parts.length),
      version,
      dependsOn,
      addedDependencies: dependsOn.filter((id) => !before.has(id)),
    };
  }
}

/** S1, S2 */
class Keys {
  readonly #byStep = new Map<string, StepKey>();
  readonly #taken = new Set<string>(RESERVED);
  /** How many steps an agent was given together. */
  readonly #lengths = new Set<number>();

  give(steps: readonly Piece[]): readonly StepKey[] {
    const seen = new Map<string, number>();
    const named = steps.map(({ wanted, does }) => {
      const count = (seen.get(does) ?? 0) + 1;
      seen.set(does, count);
      return { wanted, name: `${does}#${count}` };
    });
    return named.map(({ wanted, name }) => {
      const key = this.#byStep.get(name) ?? this.#free(wanted);
      this.#byStep.set(name, key);
      this.#lengths.add(name.split('+').length);
      this.#taken.add(key);
      return key;
    });
  }

  /** The longest of these lists of steps, from `from` on, that an agent was given together. */
  groupAt(does: readonly string[], from: number): readonly string[] | undefined {
    const lengths = [...this.#lengths].filter((length) => from + length <= does.length).sort((a, b) => b - a);
    const groups = lengths.map((length) => does.slice(from, from + length));
    return groups.find((group) => this.#byStep.has(`${group.join('+')}#1`));
  }

  #free(wanted: string): StepKey {
    if (!this.#taken.has(wanted)) return stepKey(wanted);
    const [, folder, number] = /^(.*\/)(\d+)$/.exec(wanted) ?? [];
    const nth = (n: number): string =>
      folder === undefined ? `${wanted}:${n}` : `${folder}${Number(number) + n}`;
    for (let n = folder === undefined ? 2 : 1; ; n += 1) if (!this.#taken.has(nth(n))) return stepKey(nth(n));
  }
}

interface Planned {
  readonly outline: Outline;
  /** How many of the steps are before the implementation. */
  readonly analysis: number;
  readonly parts: readonly Part[];
}

function planOf(task: Task, dependsOn: readonly TaskId[], known: Keys): Planned {
  const outputs = new Map<string, string>();
  const analysis = task.preAnalysis.map(({ step, commands, onError, outputTo }): Piece => {
    // A step that may ask has another form of key.
    const does = doing(['analysis', commands, onError === 'manual_intervention'], commands, outputs);
    if (outputTo !== undefined) outputs.set(outputTo, does);
    return { wanted: step, does };
  });
  const { parts, does: doings } = partsOf(task, known, outputs);
  const implementation = doings.map((does, index) => ({ wanted: `implementation/${index + 1}`, does }));
  const acceptance = task.acceptance.map((entry, index): Piece => {
    // What was accepted before the work was changed proves nothing.
    const about = ACCEPTANCE_COMMAND.test(entry) ? ['acceptance', entry, doings] : ['acceptance', entry];
    return { wanted: `acceptance/${index + 1}`, does: doing(about, [entry], outputs) };
  });
  return {
    outline: { dependsOn, agent: task.agent, steps: [...analysis, ...implementation, ...acceptance] },
    analysis: analysis.length,
    parts,
  };
}

/** Together with the steps whose outputs it uses. */
function doing(what: JsonValue, texts: readonly string[], outputs: ReadonlyMap<string, string>): string {
  const words = new Set(texts.flatMap((text) => text.split(/\W+/)));
  const uses = [...outputs].filter(([name]) => words.has(name));
  return digestOfText(canonicalJson(uses.length === 0 ? [what] : [what, uses])).slice(0, 16);
}

/** Steps that an agent was given together stay together: one that is new is given to it alone. */
function partsOf(
  task: Task,
  known: Keys,
  outputs: Map<string, string>,
): { readonly parts: readonly Part[]; readonly does: readonly string[] } {
  const { approach } = task;
  if (approach.type !== 'steps')
    return { parts: [{ type: 'agent' }], does: [doing(['agent', { ...approach }], [], outputs)] };
  const parts: Part[] = [];
  const does: string[] = [];
  let together: { readonly step: ApproachStep; readonly does: string }[] = [];
  const giveTogether = (): void => {
    while (together.length > 0) {
      const group = nextGroup(together, known);
      parts.push({ type: 'agent', steps: together.slice(0, group.length).map(({ step }) => step) });
      does.push(group.join('+'));
      together = together.slice(group.length);
    }
  };
  for (const step of approach.steps) {
    const { command, output } = step;
    // Without a script, only an agent can do it.
    const isScript = command !== undefined && (scriptOf(command) !== undefined || !isToolCall(command));
    const { title, description, modificationPoints, logicFlow } = step;
    const does1 = isScript
      ? doing(['command', command], [command], outputs)
      : doing(
          ['agent', title, description, [...modificationPoints], [...logicFlow], command ?? ''],
          [],
          outputs,
        );
    if (output !== undefined) outputs.set(output, does1);
    if (!isScript) {
      together.push({ step, does: does1 });
      continue;
    }
    giveTogether();
    parts.push({ type: 'command', script: scriptOf(command) ?? command, ...defined({ output }) });
    does.push(does1);
  }
  giveTogether();
  return { parts, does };
}

/** The longest group at the start that was given before, or all up to the next such group. */
function nextGroup(steps: readonly { readonly does: string }[], known: Keys): readonly string[] {
  const all = steps.map(({ does }) => does);
  for (let at = 0; at < all.length; at += 1) {
    const group = known.groupAt(all, at);
    if (group !== undefined) return at === 0 ? group : all.slice(0, at);
  }
  return all;
}
