import type { RunEnd as EngineEnd } from '../../host/carrying/carry-out.ts';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import type { RunState } from '../../model/run-state.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { OpenQuestion, RunEnd } from '../orchestrator-types.ts';

/** How a run ended, for the program that started it. */
export function endOf({ status, output, failure }: EngineEnd, state: RunState): RunEnd {
  switch (status) {
    case 'completed':
      return { status, output: outputIn(output) };
    case 'waiting':
      return { status, questions: questionsIn(state) };
    case 'failed':
      return { status, failure: failure ?? { type: 'internal-error', message: 'no reason was recorded' } };
    case 'interrupted':
    case 'cancelled':
      return { status };
    default:
      return unreachable(status);
  }
}

/** What a workflow in code returned, or the `outputs` of one in YAML. */
function outputIn(recorded: JsonValue | undefined): JsonValue {
  if (!isJsonObject(recorded)) return null;
  return recorded['output'] ?? recorded['outputs'] ?? null;
}

function questionsIn({ waiting_for: open = {} }: RunState): readonly OpenQuestion[] {
  return Object.entries(open).map(([key, { message, choices = [] }]) => ({ key, message, choices }));
}
