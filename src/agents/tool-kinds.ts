/** The tools that every agent has, under the names each of them uses. */

import type { AgentEvent } from '../model/agent.ts';
import type { JsonObject } from '../model/json.ts';
import { unreachable } from '../model/unreachable.ts';
import { listOf, numberOf, objectOf, textOf } from './fields.ts';

type ToolUse = Extract<AgentEvent, { type: 'tool-use' }>;

export type ToolKind = 'read' | 'edit' | 'write' | 'shell' | 'grep' | 'glob' | 'other';

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ['Read', 'read'],
  ['read', 'read'],
  ['view', 'read'],
  ['read_file', 'read'],
  ['Edit', 'edit'],
  ['edit', 'edit'],
  ['str_replace', 'edit'],
  ['MultiEdit', 'edit'],
  ['replace', 'edit'],
  ['apply_patch', 'edit'],
  ['Write', 'write'],
  ['write', 'write'],
  ['create', 'write'],
  ['write_file', 'write'],
  ['Bash', 'shell'],
  ['bash', 'shell'],
  ['run_shell_command', 'shell'],
  ['shell', 'shell'],
  ['Grep', 'grep'],
  ['grep', 'grep'],
  ['grep_search', 'grep'],
  ['search_file_content', 'grep'],
  ['Glob', 'glob'],
  ['glob', 'glob'],
]);

export function toolKind(name: string): ToolKind {
  return KINDS.get(name) ?? 'other';
}

export function describeToolUse(use: ToolUse): string {
  const input = objectOf(use.input);
  return [`🔧 ${use.name} tool`, ...details(use, input).map((line) => `   ${line}`)].join('\n');
}

function details(use: ToolUse, input: JsonObject): readonly string[] {
  const kind = toolKind(use.name);
  switch (kind) {
    case 'read':
      return [...file(input), ...lineRange(input)];
    case 'edit':
      return use.name === 'apply_patch' ? changes(input) : [...file(input), ...edits(input)];
    case 'write':
      return [...file(input), ...size(textOf(input['content']) ?? textOf(input['file_text']) ?? '')];
    case 'shell':
      return block('Command', textOf(input['command']) ?? '');
    case 'grep':
    case 'glob':
      return [...block('Pattern', textOf(input['pattern']) ?? ''), ...place(input)];
    case 'other':
      return other(input);
    default:
      return unreachable(kind);
  }
}

function file(input: JsonObject): readonly string[] {
  const path =
    textOf(input['file_path']) ??
    textOf(input['filePath']) ??
    textOf(input['absolute_path']) ??
    textOf(input['path']);
  return path === undefined ? [] : [`File: ${path}`];
}

function lineRange(input: JsonObject): readonly string[] {
  const from = numberOf(input['offset']) ?? numberOf(input['start_line']);
  const limit = numberOf(input['limit']);
  const to = numberOf(input['end_line']) ?? (limit === undefined ? undefined : (from ?? 1) + limit - 1);
  if (from === undefined && to === undefined) return [];
  return [`Lines: ${from ?? 1}-${to ?? 'end'}`];
}

/** Never shortened: these strings are the whole edit. */
function edits(input: JsonObject): readonly string[] {
  const many = listOf(input['edits']).map((value) => objectOf(value));
  return (many.length > 0 ? many : [input]).flatMap((edit) => [
    `Replace: ${replacesAll(edit) ? 'all occurrences' : 'first occurrence'}`,
    ...block('Old', textOf(edit['old_string']) ?? textOf(edit['oldString']) ?? textOf(edit['old_str']) ?? ''),
    ...block('New', textOf(edit['new_string']) ?? textOf(edit['newString']) ?? textOf(edit['new_str']) ?? ''),
  ]);
}

function replacesAll(edit: JsonObject): boolean {
  return edit['replace_all'] === true || edit['replaceAll'] === true || edit['allow_multiple'] === true;
}

function changes(input: JsonObject): readonly string[] {
  return listOf(input['changes']).map((value) => {
    const change = objectOf(value);
    return `File: ${textOf(change['path']) ?? ''} (${textOf(change['kind']) ?? 'change'})`;
  });
}

function size(content: string): readonly string[] {
  const kilobytes = (Buffer.byteLength(content) / 1024).toFixed(1);
  const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
  return [`Size: ${kilobytes} KB (${lines} ${lines === 1 ? 'line' : 'lines'})`];
}

function place(input: JsonObject): readonly string[] {
  const found = ['path', 'dir_path', 'glob', 'include', 'include_pattern']
    .map((key) => textOf(input[key]))
    .filter((text) => text !== undefined);
  return found.length === 0 ? [] : [`In: ${found.join(' ')}`];
}

/** `Old: one line`, or several lines below the title. */
function block(title: string, text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.length === 1 ? [`${title}: ${text}`] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

const LONGEST_INPUT = 200;

function other(input: JsonObject): readonly string[] {
  const text = JSON.stringify(input);
  if (text === '{}') return [];
  return [[...text].length > LONGEST_INPUT ? `${[...text].slice(0, LONGEST_INPUT).join('')}…` : text];
}
