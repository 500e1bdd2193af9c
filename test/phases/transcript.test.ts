import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAgent, readAgentCalls } from '../../src/phases/hook/transcript.ts';
import { blocksOfLines } from '../../src/phases/hook/transcript-lines.ts';
import { folderForEach } from '../rig/temporary-folder.ts';

const folder = folderForEach();

function transcript(...lines: readonly (object | string)[]): string {
  const path = `${folder.path}/transcript.jsonl`;
  writeFileSync(
    path,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );
  return path;
}

const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;
const asked = { type: 'user', timestamp: at(1), message: { role: 'user', content: 'Phase ID: phase_0' } };
const said = (text: string): object => ({
  ...{ type: 'assistant', timestamp: at(2) },
  message: { role: 'assistant', content: [{ type: 'text', text }] },
});
const cutOff = { ...said('API Error: overloaded'), isApiErrorMessage: true };
const startedAt = Date.parse(at(1));

describe('the end of a file, read in blocks', () => {
  it('is complete, and only the last block may end inside a line', () => {
    const line = fc.oneof(
      { weight: 9, arbitrary: fc.string({ maxLength: 300, unit: 'grapheme' }) },
      fc.integer({ min: 60_000, max: 200_000 }).map((length) => 'x'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.integer({ min: 1, max: 300_000 }), (lines, most) => {
        const bytes = Buffer.from(lines.join('\n'));
        writeFileSync(`${folder.path}/file`, bytes);
        const read: Buffer[] = [];
        for (const block of blocksOfLines(`${folder.path}/file`, most)) read.push(Buffer.from(block));
        expect(Buffer.concat(read).equals(bytes.subarray(Math.max(0, bytes.length - most)))).toBe(true);
        for (const block of read.slice(0, -1)) expect(block.at(-1)).toBe(10);
      }),
      { numRuns: 60 },
    );
  });

  it('is empty for a folder or a missing file', () => {
    expect([...blocksOfLines(folder.path, 100)]).toEqual([]);
    expect([...blocksOfLines(`${folder.path}/missing`, 100)]).toEqual([]);
  });
});

describe("an agent's own transcript", () => {
  it('contains its prompt and start time', () => {
    expect(readAgent(transcript(asked, said('Done.')))).toEqual({ prompt: 'Phase ID: phase_0', startedAt });
  });

  it('contains the error that it ended with, but not one it recovered from', () => {
    expect(readAgent(transcript(asked, said('Well.'), cutOff))).toMatchObject({
      error: 'API Error: overloaded',
    });
    expect(readAgent(transcript(asked, cutOff, said('Done.')))).not.toHaveProperty('error');
  });

  it('is used up to the last complete line', () => {
    const torn = JSON.stringify(said('Done.')).slice(0, -5);
    expect(readAgent(transcript(asked, cutOff, torn))).toMatchObject({ error: 'API Error: overloaded' });
    expect(readAgent(transcript(torn))).toEqual({ prompt: '', startedAt: Number.NaN });
  });

  it('contains its error even if its first line is too long to read', () => {
    const endless = { ...asked, message: { role: 'user', content: 'x'.repeat(2_000_000) } };
    expect(readAgent(transcript(endless, cutOff))).toEqual({
      ...{ prompt: '', startedAt: Number.NaN, error: 'API Error: overloaded' },
    });
  });

  it('may be missing', () => {
    expect(readAgent(`${folder.path}/missing.jsonl`)).toBeUndefined();
  });

  it('may be long, with a long prompt', () => {
    const long = { ...asked, message: { role: 'user', content: 'x'.repeat(100_000) } };
    const much = Array.from({ length: 500 }, () => said('y'.repeat(1000)));
    expect(readAgent(transcript(long, ...much, cutOff))).toEqual({
      prompt: 'x'.repeat(100_000),
      startedAt,
      error: 'API Error: overloaded',
    });
  });
});

it('finds an agent wherever its start and end are in the transcript of the session', () => {
  const start = {
    ...{ type: 'assistant', timestamp: at(1) },
    message: { content: [{ type: 'tool_use', id: 't1', name: 'Agent', input: { prompt: 'Do it.' } }] },
  };
  const end = {
    ...{ type: 'user', timestamp: at(2), toolUseResult: { agentId: 'a1', content: 'Done.' } },
    message: { content: [{ type: 'tool_result', tool_use_id: 't1' }] },
  };
  for (const [before, between] of [
    [0, 0],
    [65_300, 0],
    [65_500, 65_400],
    [10, 300_000],
  ] as const) {
    const path = transcript('x'.repeat(before), start, 'y'.repeat(between), end);
    expect(readAgentCalls(path)).toEqual([
      {
        ...{ useId: 't1', prompt: 'Do it.', agentType: '', startedAt },
        end: { at: Date.parse(at(2)), text: 'Done.', isError: false, agentId: 'a1' },
      },
    ]);
  }
});
