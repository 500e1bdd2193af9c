/** Output and files of agent programs: streams, transcripts, recordings. */
import { ADAPTERS } from '../../../src/agents/adapters/all.ts';
import { parseCassette, renderCassette } from '../../../src/agents/cassette.ts';
import { createEventStream, type EventStreamOptions } from '../../../src/agents/read-events.ts';
import { createSummary } from '../../../src/agents/summary.ts';
import { createToolDisplay } from '../../../src/agents/tool-display.ts';
import { unifiedDiff } from '../../../src/agents/unified-diff.ts';
import { readAgent, readAgentCalls } from '../../../src/phases/hook/transcript.ts';
import { createMasker, maskText } from '../../../src/process/mask.ts';
import { parsePs } from '../../../src/process/process-table.ts';
import { many, type Reader, reader, written } from '../reader.ts';

const CHUNK = 64 * 1024;
const line = (value: object): string => `${JSON.stringify(value)}\n`;

function stream(agent: 'claude' | 'gemini' | 'codex', lines: string, options: EventStreamOptions = {}): void {
  const summary = createSummary();
  const display = createToolDisplay();
  const events = createEventStream(ADAPTERS[agent].createReader(), options);
  const take = (found: ReturnType<typeof events.end>): void => {
    for (const event of found) {
      summary.add(event);
      display(event);
    }
  };
  const bytes = Buffer.from(lines);
  for (let at = 0; at < bytes.length; at += CHUNK) take(events.push(bytes.subarray(at, at + CHUNK)));
  take(events.end());
}

const claude = (text: string): string =>
  [
    {
      type: 'assistant',
      message: {
        content: [
          { type: 'text', text },
          { type: 'tool_use', id: 't', name: 'Bash', input: { command: text } },
          {
            type: 'tool_use',
            id: 'e',
            name: 'Edit',
            input: { file_path: text, old_string: text, new_string: `${text}x` },
          },
        ],
      },
    },
    {
      type: 'user',
      message: {
        content: [
          { type: 'tool_result', tool_use_id: 't', content: text },
          { type: 'tool_result', tool_use_id: 'e', content: text, is_error: true },
        ],
      },
    },
    { type: 'result', subtype: 'success', is_error: false, result: text },
  ]
    .map(line)
    .join('');

const gemini = (text: string): string =>
  [
    { type: 'message', role: 'assistant', content: text },
    { type: 'error', message: `[API Error: {${text}` },
    { type: 'result', status: 'error', error: { message: `[API Error: {${text}}]` } },
  ]
    .map(line)
    .join('');

const codex = (text: string): string =>
  [
    { type: 'item.completed', item: { id: 'a', type: 'agent_message', text } },
    {
      type: 'item.completed',
      item: {
        ...{ id: 'b', type: 'command_execution', command: text, aggregated_output: text },
        ...{ exit_code: 0, status: 'completed' },
      },
    },
    { type: 'error', message: text },
    { type: 'turn.failed', error: { message: `{${text}` } },
  ]
    .map(line)
    .join('');

const SITE = { workspace: '/srv/space', directory: '/srv/space/run', runId: '20260101T000000Z-abcdef' };
const SECRETS = ['aaaaaaaa', 'aaaaaaab', '"quoted"\n', '     x'];
const SMALL_CHUNK = 100;

export const STREAMS: readonly Reader[] = [
  reader('stream-claude', (text) => [
    stream('claude', text),
    stream('claude', claude(text)),
    stream('claude', claude(text), { wholeToolResults: true }),
    stream('claude', `{"type":"result","result":${text}`),
    stream('claude', many(text, 100, (part) => claude(part)).join('')),
  ]),
  reader('stream-gemini', (text) => [stream('gemini', text), stream('gemini', gemini(text))]),
  reader('stream-codex', (text) => [stream('codex', text), stream('codex', codex(text))]),
  reader('transcript', (text, folder) => {
    const starts = many(text, 200, (prompt, index) =>
      line({
        ...{ type: 'assistant', timestamp: '2026-01-01T00:00:00Z' },
        message: { content: [{ type: 'tool_use', id: `toolu_${index}`, name: 'Agent', input: { prompt } }] },
      }),
    );
    const told = [
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: text }] },
      },
      { type: 'user', message: { content: `<task-notification>${text}` } },
      {
        type: 'user',
        message: { content: `<task-notification>${'<tool-use-id>'.repeat(text.length / 13)}` },
      },
    ].map(line);
    const file = written(folder, 'transcript.jsonl', [...starts, ...told, text].join(''));
    return [readAgentCalls(file), readAgent(file)];
  }),
  reader('transcript-of-results', (text, folder) => {
    const ids = many(text, 100, (_, index) => `toolu_${index}`);
    const starts = ids.map((id) => ({ type: 'tool_use', id, name: 'Task', input: {} }));
    const ends = ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: id }));
    const lines = [
      { type: 'assistant', message: { content: starts } },
      { type: 'user', toolUseResult: { content: [{ type: 'text', text }] }, message: { content: ends } },
    ];
    return readAgentCalls(written(folder, 'transcript.jsonl', lines.map(line).join('')));
  }),
  reader('cassette', (text) => {
    const cassette = {
      ...{ step: 's', attempt: 1, agent: 'claude', argv: [], files: [], exit: { exitCode: 0 } },
      ...{ prompt: text, stdout: text, stderr: text },
    };
    return [parseCassette(renderCassette(cassette, SITE), SITE), parseCassette(text, SITE)];
  }),
  reader('mask', (text) => {
    const masker = createMasker(SECRETS);
    const bytes = Buffer.from(text);
    const masked: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += SMALL_CHUNK)
      masked.push(masker.push(bytes.subarray(at, at + SMALL_CHUNK)));
    return [masked, masker.end(), maskText(text, SECRETS)];
  }),
  reader('diff', (text) =>
    unifiedDiff(text.slice(0, 20_000), text.slice(0, 20_000).replaceAll('a', 'b'), {
      before: 'a',
      after: 'b',
    }),
  ),
  reader('process-list', (text) => parsePs(`1 2 3 S ${text}\n${text}`)),
];
