import { relative, sep } from 'node:path';
import { type RunId, timestampOf } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { withoutFinalNewlines } from '../model/output-text.ts';
import type { Spent, StepRecord } from '../model/record.ts';
import { runPaths } from '../store/layout.ts';
import { lookUp, type Scope } from '../template/scope.ts';
import type { Block, LoopVariables, RunFacts } from './block.ts';
import { resultsProblem, resultsValue } from './results.ts';

/** Looks up `${run.*}`, loop variables, `${steps.*}` and `${context.*}` for the template layer. */
export function variablesOf(block: Block): Scope {
  return (path) => {
    const [root, ...rest] = path;
    switch (root) {
      case 'run':
        return lookUp(runVariables(block.run), rest);
      case 'steps':
        return stepVariable(block, rest);
      case 'context':
        return lookUp(block.context, rest);
      default:
        return root === undefined ? undefined : loopVariable(block, root, rest);
    }
  };
}

function loopVariable(block: Block, root: string, rest: readonly string[]): JsonValue | undefined {
  if (root === 'loop') return numbersOf(block.loop, rest);
  if (root === 'matrix') {
    const loop = nearestLoop(block.loop, ({ isMatrix }) => isMatrix === true);
    return loop === undefined ? undefined : lookUp(loop.item, rest);
  }
  const named =
    nearestLoop(block.loop, (loop) => loop.as === root) ?? (root === 'item' ? itemLoop(block) : undefined);
  return named === undefined ? undefined : lookUp(named.item, rest);
}

/** `${loop.index}`, `${loop.outer.item}`. */
function numbersOf(loop: LoopVariables | undefined, path: readonly string[]): JsonValue | undefined {
  const depth = path.findIndex((segment) => segment !== 'outer');
  let at = loop;
  for (let level = 0; level < depth && at !== undefined; level += 1) at = at.around;
  if (at === undefined || depth === -1) return undefined;
  const { index, total, item } = at;
  return lookUp(depth === 0 ? { index, total } : { index, total, item }, path.slice(depth));
}

/** `${item}`, by the name its loop gives it. A `repeat` inside a `for_each` does not hide it. */
function itemLoop(block: Block): LoopVariables | undefined {
  return nearestLoop(block.loop, (loop) => loop.kind === 'for-each') ?? block.loop;
}

function nearestLoop(
  loop: LoopVariables | undefined,
  isMeant: (loop: LoopVariables) => boolean,
): LoopVariables | undefined {
  for (let at = loop; at !== undefined; at = at.around) if (isMeant(at)) return at;
  return undefined;
}

function runVariables(run: RunFacts): JsonObject {
  return { id: run.id, timestamp_utc: run.timestampUtc, root: run.root };
}

function stepVariable(block: Block, path: readonly string[]): JsonValue | undefined {
  const [name, field, ...rest] = path;
  if (name === undefined || field === undefined) return undefined;
  const record = recordNamed(block, name);
  const value = record === undefined ? undefined : recordVariable(record, field, rest);
  // A dry run has no results, so a variable is shown as its name.
  return value === undefined && block.options.dryRun === true ? `\${steps.${path.join('.')}}` : value;
}

/** The members of `${steps.<name>.…}`. */
export function recordVariable(
  record: StepRecord,
  field: string,
  rest: readonly string[],
): JsonValue | undefined {
  switch (field) {
    case 'json':
      return lookUp(record.json, rest);
    case 'values':
      return rest.length === 0 ? undefined : lookUp(record.values, rest);
    case 'lines':
      return lookUp(record.lines, rest);
    case 'files':
      return lookUp(record.files, rest);
    case 'results':
      return resultsValue(record.results, rest);
    case 'unmerged':
      return lookUp((record.unmerged ?? []) as unknown as JsonValue, rest);
  }
  if (rest.length > 0) return undefined;
  switch (field) {
    case 'exit_code':
      return record.exitCode;
    case 'output':
      return record.output === undefined ? undefined : withoutFinalNewlines(record.output);
    case 'duration':
      return record.durationMs / 1000;
    case 'duration_ms':
      return record.durationMs;
    case 'outcome':
      return record.outcome;
    case 'attempts':
      return record.attempts;
    case 'cost_usd':
      return record.spent === undefined ? undefined : knownCost(record.spent);
    case 'session_id':
      return record.sessionId;
    default:
      return undefined;
  }
}

/** Why `${steps.<name>.<field>}` cannot be used: it is only the beginning of what the step printed. */
export function truncationOf(block: Block, path: readonly string[]): string | undefined {
  const [root, name, field, ...rest] = path;
  const record = root === 'steps' && name !== undefined ? recordNamed(block, name) : undefined;
  if (record === undefined || name === undefined) return undefined;
  switch (field) {
    case 'lines':
      return record.truncated === true
        ? `\`steps.${name}.lines\` was truncated after 10,000 lines`
        : undefined;
    case 'output':
      return record.truncated === true
        ? `\`steps.${name}.output\` was truncated after 8 KiB: write it to an \`output_file\`, or capture \`lines\` or \`json\``
        : undefined;
    case 'results':
      return resultsProblem(record, name, rest);
    default:
      return undefined;
  }
}

/** The result of a step that the block can see. */
export function recordNamed(block: Block, name: string): StepRecord | undefined {
  return block.records.get(name) ?? block.outer.get(name);
}

/** A sum with an unknown part is unknown. */
function knownCost({ costUsd, unknownCalls }: Spent): JsonValue {
  return costUsd === null || unknownCalls !== undefined ? 'unknown' : costUsd;
}

/** `run.root` is the folder of the run, relative to the workspace, as every path in a workflow. */
export function runFacts(run: {
  readonly runId: RunId;
  readonly workspace: string;
  readonly timestampUtc?: string;
}): RunFacts {
  return {
    id: run.runId,
    root: relative(run.workspace, runPaths(run.workspace, run.runId).directory).split(sep).join('/'),
    timestampUtc: run.timestampUtc ?? timestampOf(run.runId),
  };
}
