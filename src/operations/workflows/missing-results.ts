import type { Step, WorkflowDefinition } from '../../workflow/definition.ts';

/** A variable without a default: `${steps.Plan.output}`. */
const READ = /(?<!\$)\$\{steps\.([A-Za-z_][\w-]*)\.[^}:]*\}/g;
/** What is inside a step may be skipped, and conditions may ask for what does not exist. */
const NOT_NEEDED: ReadonlySet<string> = new Set(['steps', 'branches', 'definition', 'when', 'until', 'on']);

/** The steps whose results a step certainly reads when it is run alone, whatever its condition, and that have none. */
export function missingResults(
  { steps, finally: last }: WorkflowDefinition,
  given: { readonly step: string; readonly records: object },
): readonly string[] {
  const step = [...steps, ...last].find(({ name }) => name === given.step);
  if (step === undefined) return [];
  return [...new Set(readBy(step))].filter((name) => !Object.hasOwn(given.records, name));
}

function readBy(step: Step): readonly string[] {
  const pointer = step.type === 'for-each' && step.items.type === 'pointer' ? step.items.pointer : '';
  const names = textsIn(step).flatMap((text) => [...text.matchAll(READ)].map(([, name = '']) => name));
  const [root, name] = pointer.split('.');
  return root === 'steps' && name !== undefined ? [name, ...names] : names;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => (NOT_NEEDED.has(key) ? [] : textsIn(each)));
}
