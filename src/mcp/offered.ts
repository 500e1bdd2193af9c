/** Which tools the server offers: all but those that are off by default, unless the user chooses. */
import { error, ok, type Result } from '../model/result.ts';
import { nearest } from '../model/suggest.ts';
import { type Refused, refused } from '../operations/problem.ts';
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

export function offeredTools({ readOnly, allow = [], only }: Choice): Result<readonly Tool[], Refused> {
  const unknown = [...allow, ...(only ?? [])].find((name) => !TOOLS.some((tool) => tool.name === name));
  if (unknown !== undefined) return error(refused('invalid', unknownTool(unknown), `tools: ${names()}`));
  if (only !== undefined && allow.length > 0)
    return error(
      refused('invalid', '`--only` and `--allow` cannot be combined', 'name all tools in `--only`'),
    );
  const changing = [...allow, ...(only ?? [])].find((name) => toolNamed(name)?.readOnly !== true);
  if (readOnly === true && changing !== undefined)
    return error(
      refused('invalid', `\`${changing}\` does not only read`, 'leave out `--read-only` or the tool'),
    );
  const isOffered = ({ name, offBecause }: Tool): boolean =>
    only === undefined ? offBecause === undefined || allow.includes(name) : only.includes(name);
  return ok(TOOLS.filter((tool) => isOffered(tool) && (readOnly !== true || tool.readOnly === true)));
}

/** Why a tool cannot be called; undefined if there is no such tool. */
export function notOffered(name: string): Refused | undefined {
  const tool = toolNamed(name);
  if (tool === undefined) return undefined;
  const why = tool.offBecause === undefined ? '' : `: ${tool.offBecause}`;
  return refused(
    'conflict',
    `\`${name}\` is not allowed here${why}`,
    tool.offBecause === undefined
      ? 'ask the user to start the server with other options'
      : `ask the user, who can start the server with \`orchestrate mcp --allow ${name}\``,
  );
}

export function unknownTool(name: string): string {
  const near = nearest(
    name,
    TOOLS.map((tool) => tool.name),
  );
  return `unknown tool \`${name}\`${near === undefined ? '' : `; did you mean \`${near}\`?`}`;
}

function toolNamed(name: string): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name);
}

function names(): string {
  return TOOLS.map(({ name }) => name).join(', ');
}
