import type { StepSource } from '../schema/step.ts';

/** Whether a step of a graph needs another one, directly or through others. A step does not need itself. */
export function needsOf(steps: readonly StepSource[]): (step: StepSource, other: StepSource) => boolean {
  const byName = new Map(steps.map((step) => [step.name, step]));
  return (step, other) => {
    if (step.needs?.includes(other.name) === true) return true;
    const seen = new Set<string>([step.name]);
    const open = [...(step.needs ?? [])];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (seen.has(name)) continue;
      if (name === other.name) return true;
      seen.add(name);
      open.push(...(byName.get(name)?.needs ?? []));
    }
    return false;
  };
}

/** Every circle of needs, as the names on the way: `A`, `B`, `A`. Each step is in at most one of them. */
export function circlesIn(steps: readonly StepSource[]): readonly (readonly string[])[] {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const done = new Set<string>();
  const circles: string[][] = [];
  for (const { name: first } of steps) {
    // The way to the current step, and what is left to look at from each step on it.
    const way: { readonly name: string; readonly left: string[] }[] = [];
    const onWay = new Set<string>();
    const enter = (name: string): void => {
      way.push({ name, left: [...(byName.get(name)?.needs ?? [])].reverse() });
      onWay.add(name);
    };
    if (!done.has(first)) enter(first);
    for (let at = way.at(-1); at !== undefined; at = way.at(-1)) {
      const next = at.left.pop();
      if (next === undefined) {
        way.pop();
        onWay.delete(at.name);
        done.add(at.name);
      } else if (onWay.has(next)) {
        const names = way.map(({ name }) => name);
        circles.push([...names.slice(names.indexOf(next)), next]);
        for (const name of names) done.add(name);
        break;
      } else if (byName.has(next) && !done.has(next)) enter(next);
    }
  }
  return circles;
}
