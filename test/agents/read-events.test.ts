import { describe, expect, it } from 'vitest';
import { ADAPTERS } from '../../src/agents/adapters/all.ts';
import { createEventStream, type EventStreamOptions } from '../../src/agents/read-events.ts';
import type { AgentEvent } from '../../src/model/agent.ts';

function read(
  name: 'claude' | 'gemini' | 'codex',
  bytes: Buffer | string,
  options?: EventStreamOptions,
): readonly AgentEvent[] {
  const stream = createEventStream(ADAPTERS[name].createReader(), options);
  const all = Buffer.from(bytes);
  const events: AgentEvent[] = [];
  for (let at = 0; at < all.length; at += 500) events.push(...stream.push(all.subarray(at, at + 500)));
  return [...events, ...stream.end()];
}

const RESULT = '{"is_error":false,"subtype":"success","result":"Done.","total_cost_usd":0.5,"type":"result"}';

function claudeToolResult(content: string, isError: boolean): string {
  return JSON.stringify({
    type: 'user',
    message: {
      role: 'user',
      content: [
        isError
          ? { type: 'tool_result', content, is_error: true, tool_use_id: 'toolu_9' }
          : { tool_use_id: 'toolu_9', type: 'tool_result', content },
      ],
    },
    tool_use_result: { stdout: content },
  });
}

describe('a call that Claude Code repeats', () => {
  it('is shown with the error, if it names one', () => {
    const retry = (error: string): readonly AgentEvent[] =>
      read(
        'claude',
        `${JSON.stringify({ type: 'system', subtype: 'api_retry', error, retry_delay_ms: 600 })}\n`,
      );
    expect(retry('overloaded')).toMatchObject([
      { type: 'retry', message: 'overloaded, next attempt in 0.6 s' },
    ]);
    expect(retry('unknown')).toMatchObject([
      { type: 'retry', message: "the model's API returned an error, next attempt in 0.6 s" },
    ]);
  });
});

describe('reading the stream of an agent', () => {
  it('finds the result wherever its `type` is, even without a final newline', () => {
    expect(read('claude', RESULT)).toMatchObject([
      { type: 'result', result: { text: 'Done.', costUsd: 0.5 } },
    ]);
  });

  it('ignores a reset time outside the range of dates', () => {
    const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1e30 } };
    expect(read('claude', `${JSON.stringify(limit)}\n`)).toEqual([
      { type: 'rate-limit', status: 'rejected' },
    ]);
  });

  it('continues after prose, truncated JSON, invalid UTF-8 and events of a newer version', () => {
    const bytes = Buffer.concat([
      Buffer.from('YOLO mode is enabled.\n{"type":"assis\n'),
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from('{"type":"from-the-future","x":1}\n[1,2]\nnull\n"text"\n'),
      Buffer.from(`  ${RESULT}\r\n`),
    ]);
    const events = read('claude', bytes);
    expect(events.at(-1)).toMatchObject({ type: 'result' });
    expect(events.slice(0, -1).every((event) => event.type === 'unrecognised')).toBe(true);
    expect(events).toContainEqual({ type: 'unrecognised', name: 'from-the-future' });
  });

  it('keeps text with invalid bytes', () => {
    const line = Buffer.from('{"type":"assistant","message":{"content":[{"type":"text","text":"a?b"}]}}\n');
    line[line.indexOf('?')] = 0xff;
    expect(read('claude', line)).toEqual([{ type: 'text', text: 'a\ufffdb', delta: false }]);
  });

  it('finds the result after a line that is too long', () => {
    const events = read('claude', `${claudeToolResult('x'.repeat(5000), false)}\n${RESULT}\n`, {
      longestLine: 2000,
    });
    expect(events).toEqual([
      { type: 'unrecognised', name: 'overlong' },
      expect.objectContaining({ type: 'result' }),
    ]);
  });

  it('reports a result that is too long to read', () => {
    const long = JSON.stringify({ result: 'x'.repeat(200_000), is_error: false, type: 'result' });
    expect(read('claude', long, { longestLine: 100_000 })).toMatchObject([
      { type: 'result', result: { isError: true, subtype: 'overlong' } },
    ]);
  });

  it('reads an array of events, as `--output-format json` prints it', () => {
    expect(read('claude', `[{"type":"system","subtype":"init","session_id":"s"},${RESULT}]`)).toMatchObject([
      { type: 'started', sessionId: 's' },
      { type: 'result' },
    ]);
  });
});

/** Text that looks like the keys the reader searches for. */
const TRAP =
  `\\"is_error\\":true "is_error":true \\"tool_use_id\\":\\"toolu_1\\" "status":"failed" "exit_code":7 `.repeat(
    200,
  );

describe('large tool results', () => {
  it.each([true, false])('of claude are recognised without parsing (failed: %s)', (isError) => {
    const line = claudeToolResult(TRAP, isError);
    const [event] = read('claude', line);
    expect(event).toEqual({
      type: 'tool-result',
      id: 'toolu_9',
      isError,
      content: '',
      omittedBytes: Buffer.byteLength(line),
    });
  });

  it('of gemini are recognised without parsing', () => {
    const line = JSON.stringify({ type: 'tool_result', tool_id: 'w_1', status: 'success', output: TRAP });
    expect(read('gemini', line)).toMatchObject([{ id: 'w_1', isError: false, omittedBytes: line.length }]);
    const failed = line.replace('"status":"success"', '"status":"error"');
    expect(read('gemini', failed)).toMatchObject([{ id: 'w_1', isError: true }]);
  });

  it.each([
    [0, 'completed', false],
    [3, 'failed', true],
    [null, 'failed', true],
  ] as const)('of codex are recognised without parsing (exit code %s)', (exitCode, status, isError) => {
    const line = JSON.stringify({
      type: 'item.completed',
      item: {
        id: 'item_4',
        type: 'command_execution',
        command: 'cat',
        aggregated_output: TRAP,
        exit_code: exitCode,
        status,
      },
    });
    expect(read('codex', line)).toMatchObject([{ type: 'tool-result', id: 'item_4', isError, content: '' }]);
  });

  it('are parsed completely if their contents are requested', () => {
    expect(read('claude', claudeToolResult(TRAP, true), { wholeToolResults: true })).toMatchObject([
      { content: TRAP, isError: true },
    ]);
  });

  it('are all reported if one line contains several', () => {
    const block = (id: string) => ({ tool_use_id: id, type: 'tool_result', content: TRAP });
    const line = JSON.stringify({ type: 'user', message: { content: [block('a'), block('b')] } });
    expect(read('claude', line)).toMatchObject([{ id: 'a' }, { id: 'b' }]);
  });
});

describe('a large message', () => {
  it('of the agent is never skipped', () => {
    const text = 'word '.repeat(50_000);
    const line = JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
    expect(read('claude', line)).toEqual([{ type: 'text', text, delta: false }]);
    const item = JSON.stringify({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text } });
    expect(read('codex', item)).toEqual([{ type: 'text', text, delta: false }]);
  });
});
