/**
 * Shows what an agent does: a block for each use of a tool and one for its result. Whether a tool succeeded is what the agent reports,
 * never a guess from its output.
 */

import type { AgentEvent } from '../model/agent.ts';
import { unreachable } from '../model/unreachable.ts';
import { visible } from '../model/visible.ts';
import { numberedPreview, preview } from './text-preview.ts';
import { describeToolUse, toolKind } from './tool-kinds.ts';

type ToolUse = Extract<AgentEvent, { type: 'tool-use' }>;
type ToolResult = Extract<AgentEvent, { type: 'tool-result' }>;

const READ_LINES = 15;
const OUTPUT_LINES = 20;

/** For one conversation, so that results are matched to their tool uses. Returns `undefined` for events that are not shown. */
export function createToolDisplay(): (event: AgentEvent) => string | undefined {
  const uses = new Map<string, ToolUse>();
  return (event) => {
    switch (event.type) {
      case 'text':
        return visible(event.text);
      case 'tool-use':
        uses.set(event.id, event);
        return visible(describeToolUse(event));
      case 'tool-result': {
        const use = uses.get(event.id);
        uses.delete(event.id);
        return visible(event.isError ? renderFailure(event, use) : renderSuccess(event, use));
      }
      case 'rate-limit':
        return event.status === 'rejected'
          ? `⚠️ Usage limit reached${event.resetsAt === undefined ? '' : ` until ${event.resetsAt}`}`
          : undefined;
      case 'retry':
        return visible(`⚠️ ${event.message}`);
      case 'started':
      case 'thinking':
      case 'todo':
      case 'usage':
      case 'result':
      case 'unrecognised':
        return undefined;
      default:
        return unreachable(event);
    }
  };
}

function renderSuccess(result: ToolResult, use: ToolUse | undefined): string {
  const { content } = result;
  const lines = countLines(content);
  const kind = use === undefined ? 'other' : toolKind(use.name);
  switch (kind) {
    case 'read':
      return content === ''
        ? '✓ File read successfully'
        : `✓ File read successfully (${counted(lines, 'line')})${numberedPreview(content, READ_LINES)}`;
    case 'edit':
      return '✓ Edit applied';
    case 'write':
      return '✓ File written';
    case 'shell':
      return `✓ Command finished${exitCode(result)}${preview(content, OUTPUT_LINES)}`;
    case 'grep':
      return `✓ ${counted(lines, 'result')}${preview(content, OUTPUT_LINES)}`;
    case 'glob':
      return `✓ ${counted(lines, 'match', 'matches')}${preview(content, OUTPUT_LINES)}`;
    case 'other':
      return `✓ ${use?.name ?? 'Tool'} finished${preview(content, OUTPUT_LINES)}`;
    default:
      return unreachable(kind);
  }
}

function renderFailure(result: ToolResult, use: ToolUse | undefined): string {
  const name = use?.name ?? 'Tool';
  const content = result.content.replace(/^<tool_use_error>|<\/tool_use_error>$/g, '').trim();
  const [first = '', ...rest] = content.split('\n');
  const isEdit = use !== undefined && toolKind(use.name) === 'edit';
  if (isEdit && NOT_FOUND.test(first)) return `❌ ${name} failed: String not found in file\n${EDIT_HINT}`;
  const cause = first === '' ? '' : `: ${first}`;
  return `❌ ${name} failed${exitCode(result)}${cause}${preview(rest.join('\n'), OUTPUT_LINES)}`;
}

const NOT_FOUND = /not found|no (?:exact )?match|could not find/i;

const EDIT_HINT = `
   The search string was not found in the file. This could be because:
   - The string has already been changed
   - The string contains special characters that don't match exactly
   - The line breaks or spacing differ from what's in the file

   Tip: Use the Read tool to verify the current file content`;

function exitCode(result: ToolResult): string {
  return result.exitCode === undefined ? '' : ` (exit code ${result.exitCode})`;
}

function countLines(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
