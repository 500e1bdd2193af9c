/**
 * A program of its own (`dist/ask-hook.cjs`): the agent starts it before each tool call, with the rules as its argument and the call on
 * standard input. Whatever goes wrong, it exits with 2, which blocks the call: an agent runs a call whose hook fails in any other way.
 */
import { isJsonObject, type JsonObject, parseJsonObject } from '../../model/json.ts';
import { readInput } from '../../store/read-input.ts';
import { writeWhole } from '../../store/write-whole.ts';
import { answerCall, type HookCall, renderAnswer } from './answer-call.ts';
import type { HookRules } from './contract.ts';

const BLOCK = 2;

try {
  const rules = JSON.parse(process.argv[2] ?? '') as HookRules;
  const call = readCall(parseJsonObject(readInput()));
  const answer = renderAnswer(answerCall(rules, call));
  if (answer !== undefined) writeWhole(1, Buffer.from(`${JSON.stringify(answer)}\n`));
} catch (cause) {
  const why = cause instanceof Error ? cause.message : String(cause);
  process.stderr.write(`this call could not be checked, so it is blocked: ${why}\n`);
  process.exitCode = BLOCK;
}

function readCall(event: JsonObject | undefined): HookCall {
  const { tool_name: tool, tool_use_id: id, tool_input: input, cwd, agent_id: agent } = event ?? {};
  if (typeof tool !== 'string' || typeof id !== 'string' || typeof cwd !== 'string' || !isJsonObject(input))
    throw new Error('the event is not a tool call');
  return { tool, id, input, cwd, isSubagent: typeof agent === 'string' };
}
