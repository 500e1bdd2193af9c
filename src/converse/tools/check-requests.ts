/** The blocks of an answer: its text and its tool requests, each checked before anything runs. */
import type { ToolAction } from '../../effects/contracts.ts';
import { checkSchema } from '../../model/check-schema.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import type { Tool } from '../input.ts';
import type { AskedTool, Response } from '../turn.ts';
import { BUILTINS } from './builtins.ts';
import { renderToolCommand } from './command.ts';

const TOOL_USE_ID = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,99}$/;
const MOST_REQUESTS = 50;
const MOST_REASONS = 5;

export interface CheckedAnswer {
  readonly text: string;
  readonly requests: readonly CheckedRequest[];
}

export type CheckedRequest = AskedTool &
  (
    | { readonly type: 'sound'; readonly tool: Tool; readonly action: ToolAction }
    | { readonly type: 'malformed'; readonly problem: string }
  );

export function checkAnswer(response: Response, tools: readonly Tool[], iteration: number): CheckedAnswer {
  if (!isContent(response)) return { text: response.text, requests: [] };
  const texts: string[] = [];
  const requests: CheckedRequest[] = [];
  const ids = new Set<string>();
  for (const [index, block] of response.content.entries()) {
    const said = textOf(block);
    if (said !== undefined) {
      texts.push(said);
      continue;
    }
    const ownId = `toolu_${String(iteration).padStart(3, '0')}_${index + 1}`;
    const asked = askedTool(block, ownId);
    requests.push(
      checkRequest({ block, asked, ownId, isRepeated: ids.has(asked.id), count: requests.length }, tools),
    );
    ids.add(asked.id);
  }
  return { text: texts.join('\n\n'), requests };
}

function isContent(response: Response): response is Exclude<Response, { raw: true }> {
  return Array.isArray(response['content']);
}

function textOf(block: JsonValue): string | undefined {
  if (typeof block === 'string') return block;
  return isJsonObject(block) && block['type'] === 'text' && typeof block['text'] === 'string'
    ? block['text']
    : undefined;
}

function askedTool(block: JsonValue, ownId: string): AskedTool {
  const { id, name, input } = isJsonObject(block) ? block : ({} as JsonObject);
  return {
    id: typeof id === 'string' && TOOL_USE_ID.test(id) ? id : ownId,
    name: typeof name === 'string' && name !== '' ? name : 'unknown',
    input: input ?? {},
  };
}

interface Given {
  readonly block: JsonValue;
  readonly asked: AskedTool;
  readonly ownId: string;
  readonly isRepeated: boolean;
  readonly count: number;
}

function checkRequest(given: Given, tools: readonly Tool[]): CheckedRequest {
  const { asked } = given;
  const malformed = (problem: string): CheckedRequest => {
    // Two results must never share an id.
    const id = given.isRepeated ? given.ownId : asked.id;
    return { ...asked, id, type: 'malformed', problem };
  };
  const problem = malformation(given);
  if (problem !== undefined) return malformed(problem);
  const tool = tools.find((one) => one.name === asked.name);
  if (tool === undefined) return malformed(unknownTool(asked.name, tools));
  const action = actionFor(tool, asked.input);
  return action.type === 'ok'
    ? { ...asked, type: 'sound', tool, action: action.value }
    : malformed(action.error);
}

/** What is wrong with the block, if anything. */
function malformation({ block, asked, isRepeated, count }: Given): string | undefined {
  if (!isJsonObject(block)) return 'a block of `content` must be an object with a `type`';
  const { type, id, name, input } = block;
  if (type !== 'tool_use') {
    return type === 'text'
      ? 'a block of type `text` needs a `text`'
      : `unknown block type \`${JSON.stringify(type ?? null)}\`; use \`text\` or \`tool_use\``;
  }
  if (typeof name !== 'string' || name === '') return 'a block of type `tool_use` needs the `name` of a tool';
  if (id !== undefined && (typeof id !== 'string' || !TOOL_USE_ID.test(id)))
    return '`id` must consist of at most 100 letters, digits, `_`, `-`, `.` and `:`';
  if (isRepeated) return `duplicate id \`${asked.id}\` in this answer; each request needs its own`;
  if (input !== undefined && !isJsonObject(input)) return '`input` must be an object';
  if (count >= MOST_REQUESTS) return `at most ${MOST_REQUESTS} tools can be requested in one answer`;
  return undefined;
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name);
  const near = nearest(name, names);
  const hint =
    near === undefined
      ? names.length === 0
        ? 'no tools are available'
        : `available tools: ${names.map((one) => `\`${one}\``).join(', ')}`
      : `did you mean \`${near}\`?`;
  return `unknown tool \`${name}\`; ${hint}`;
}

/** The tool's action, or why its input is invalid. */
function actionFor(tool: Tool, given: JsonValue): Result<ToolAction, string> {
  const input = isJsonObject(given) ? given : {};
  const builtin = tool.does.type === 'builtin' ? BUILTINS[tool.does.name] : undefined;
  const reasons = new Set([
    ...checkSchema(tool.inputSchema, input),
    ...(builtin === undefined ? [] : checkSchema(builtin.inputSchema, input)),
  ]);
  if (reasons.size > 0) {
    return error(
      `the input does not match the \`input_schema\`: ${[...reasons].slice(0, MOST_REASONS).join('; ')}`,
    );
  }
  if (builtin !== undefined) return ok(builtin.action(input));
  const argv = renderToolCommand(tool.does.type === 'command' ? tool.does.argv : [], input);
  return argv.type === 'ok' ? ok({ type: 'command', argv: argv.value }) : argv;
}
