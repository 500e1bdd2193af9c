/** Which tools the server offers: all but those that are off by default, unless the user chooses. */
import { error, ok, type Result } from '../model/result.ts';
import { nearest } from '../model/suggest.ts';
import type { Problem } from '../operations/problem.ts';
import { CHANGE_RUN_TOOLS } from './tools/change-run-tools.ts';
import { PHASE_TOOLS } from './tools/phase-tools.ts';
import { QUEUE_TOOLS } from './tools/queue-tools.ts';
import { RUN_TOOLS } from './tools/run-tools.ts';
import { STATUS_TOOL } from './tools/status-tool.ts';
import { TASK_TOOLS } from './tools/task-tools.ts';
import type { Tool } from './tools/tool.ts';

const TOOLS: readonly Tool[] = [
  ...PHASE_TOOLS,
  ...TASK_TOOLS,
  STATUS_TOOL,
  ...QUEUE_TOOLS,
  ...RUN_TOOLS,
  ...CHANGE_RUN_TOOLS,
];

export interface Choice {
  /** Only tools that change nothing. */
  readonly readOnly?: boolean;
  /** Tools that are off by default. */
  readonly allow?: readonly string[];
  /** Exactly these. */
  readonly only?: readonly string[];
}

export function offeredTools({ readOnly, allow = [], only }: Choice): Result<readonly Tool[], Problem> {
  const unknown = [...allow, ...(only ?? [])].find((name) => !TOOLS.some((tool) => tool.name === name));
  if (unknown !== undefined) return error(unknownTool(unknown));
  if (only !== undefined && allow.length > 0) return error({ type: 'only-and-allow' });
  const changing = [...allow, ...(only ?? [])].find((name) => toolNamed(name)?.readOnly !== true);
  if (readOnly === true && changing !== undefined)
    return error({ type: 'tool-does-not-only-read', tool: changing });
  const isOffered = ({ name, offBecause }: Tool): boolean =>
    only === undefined ? offBecause === undefined || allow.includes(name) : only.includes(name);
  return ok(TOOLS.filter((tool) => isOffered(tool) && (readOnly !== true || tool.readOnly === true)));
}

/** Why a tool cannot be called; undefined if there is no such tool. */
export function notOffered(name: string): Problem | undefined {
  const tool = toolNamed(name);
  if (tool === undefined) return undefined;
  return { type: 'tool-not-allowed', tool: name, reason: tool.offBecause };
}

export function unknownTool(tool: string): Problem {
  const tools = TOOLS.map(({ name }) => name);
  return { type: 'unknown-tool', tool, near: nearest(tool, tools), tools };
}

function toolNamed(name: string): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name);
}
