import { compactTimestamp } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { StepRecord } from '../model/record.ts';
import { lookUp, type Scope } from '../template/scope.ts';
import type { Block, RunFacts } from './block.ts';

/** `${run.*}`, loop variables, `${steps.*}` and `${context.*}` as one JSON look-up for the template layer. */
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
  const { loop } = block;
  if (loop === undefined) return undefined;
  if (root === 'loop') return lookUp({ index: loop.index, total: loop.total }, rest);
  return root === loop.as || root === 'item' ? lookUp(loop.item, rest) : undefined;
}

function runVariables(run: RunFacts): JsonObject {
  return { id: run.id, timestamp_utc: run.timestampUtc, root: run.root };
}

function stepVariable(block: Block, path: readonly string[]): JsonValue | undefined {
  const [name, field, ...rest] = path;
  if (name === undefined || field === undefined) return undefined;
  const record = block.records.get(name) ?? block.outer.get(name);
  return record === undefined ? undefined : recordVariable(record, field, rest);
}

/** The members of `${steps.<name>.…}`. */
export function recordVariable(
  record: StepRecord,
  field: string,
  rest: readonly string[],
): JsonValue | undefined {
  switch (field) {
    case 'json':
      return record.json === undefined ? undefined : lookUp(record.json, rest);
    case 'lines':
      return record.lines === undefined ? undefined : lookUp(record.lines, rest);
    case 'files':
      return record.files === undefined ? undefined : lookUp(record.files, rest);
  }
  if (rest.length > 0) return undefined;
  switch (field) {
    case 'exit_code':
      return record.exitCode;
    case 'output':
      return record.output;
    case 'duration':
      return record.durationMs / 1000;
    case 'duration_ms':
      return record.durationMs;
    case 'outcome':
      return record.outcome;
    case 'cost_usd':
      return record.spent?.costUsd ?? undefined;
    case 'session_id':
      return record.sessionId;
    default:
      return undefined;
  }
}

export function runFacts(run: {
  readonly id: string;
  readonly root: string;
  readonly startedAt: string;
}): RunFacts {
  return { id: run.id, root: run.root, timestampUtc: compactTimestamp(new Date(run.startedAt)) };
}
