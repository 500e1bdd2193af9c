import type { JsonValue } from '../model/json.ts';
import type { StepRecord } from '../model/record.ts';
import { ResultCollector } from '../model/result-collector.ts';
import { MOST_RESULTS, type PartResult, type Results } from '../model/results.ts';
import { lookUp } from '../template/scope.ts';
import type { StepCall } from './block.ts';
import type { WorkflowDefinition } from './definition.ts';

const READ = /steps\.([A-Za-z_][A-Za-z0-9_-]*)\.results/g;
const read = new WeakMap<WorkflowDefinition, ReadonlySet<string>>();

/** The steps whose results a workflow reads somewhere. Those of others are not kept. */
export function stepsWithReadResults(definition: WorkflowDefinition): ReadonlySet<string> {
  const known = read.get(definition);
  if (known !== undefined) return known;
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      if (value.includes('.results')) for (const [, name = ''] of value.matchAll(READ)) names.add(name);
    } else if (typeof value === 'object' && value !== null) {
      for (const each of Object.values(value)) visit(each);
    }
  };
  visit(definition);
  read.set(definition, names);
  return names;
}

/** Undefined if nobody reads the results of this step. */
export function collectorFor({ block, step }: StepCall): ResultCollector | undefined {
  return stepsWithReadResults(block.definition).has(step.name) ? new ResultCollector() : undefined;
}

/** The value of `${steps.<name>.results.<path>}`. */
export function resultsValue(results: Results | undefined, path: readonly string[]): JsonValue | undefined {
  if (results === undefined || results.type === 'too-large') return undefined;
  const { parts } = results;
  const [at, ...rest] = path;
  if (at !== undefined) {
    const part = Object.hasOwn(parts, at) && at !== 'length' ? Reflect.get(parts, at) : undefined;
    return part === undefined ? undefined : lookUp(shown(part), rest);
  }
  if (Array.isArray(parts)) return parts.map(shown);
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, shown(part)]));
}

function shown({ truncated: _, ...part }: PartResult): JsonValue {
  return part as unknown as JsonValue;
}

/** Why `${steps.<name>.results.<path>}` cannot be used: it is too large, or contains truncated output. */
export function resultsProblem(
  { results }: StepRecord,
  name: string,
  path: readonly string[],
): string | undefined {
  if (results === undefined) return undefined;
  const value = ['steps', name, 'results', ...path].join('.');
  if (results.type === 'too-large') return `\`${value}\` is larger than ${MOST_RESULTS / 1024 / 1024} MiB`;
  const [at, field] = path;
  if (field !== undefined && field !== 'output' && field !== 'lines') return undefined;
  const cut = Object.entries(results.parts).find(
    ([key, part]) => part.truncated === true && (at === undefined || key === at),
  );
  return cut === undefined
    ? undefined
    : `\`${value}\` contains a truncated output, that of \`${cut[0]}\`: let its last step capture \`json\`, or write an \`output_file\``;
}
