import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnswer, readText } from '../../src/converse/read-answer.ts';

const ANSWER = { content: [{ type: 'text', text: 'braces } and { and "quotes"' }] };
const JSON_TEXT = JSON.stringify(ANSWER);

describe('an answer in a text', () => {
  it.each([
    ['bare', ` \n${JSON_TEXT}\n`],
    ['pretty', JSON.stringify(ANSWER, null, 2)],
    ['fenced', `words\n\`\`\`json\n${JSON_TEXT}\n\`\`\`\nwords`],
    ['fenced without a language, with CRLF', `words\r\n\`\`\`\r\n${JSON_TEXT}\r\n\`\`\`\r\n`],
    ['in the last fence that holds one', `\`\`\`json\n{"a": 1}\n\`\`\`\n\`\`\`json\n${JSON_TEXT}\n\`\`\``],
    ['embedded', `{ not json } and {"other": {"content": 1}} then ${JSON_TEXT} and {more`],
    ['embedded after an open quote', `it's "open ${JSON_TEXT}`],
  ])('is found when it is %s', (_, text) => {
    expect(JSON.stringify(readText(text))).toBe(JSON_TEXT);
  });

  it('is found anywhere, in any surrounding text', () => {
    const words = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(words, words, fc.array(fc.jsonValue(), { maxLength: 5 }), (before, after, content) => {
        // Text that is itself an answer, or quotes the start of one, is a different case.
        fc.pre(!/[{`]/.test(before) && !after.includes('`'));
        expect(readText(`${before}${JSON.stringify({ content })}${after}`)).toEqual(
          JSON.parse(JSON.stringify({ content })),
        );
      }),
    );
  });

  it('of any other form is kept as raw text', () => {
    for (const text of ['', 'words', '{"content": "text"}', '[]', 'null', '{'.repeat(5000)])
      expect(readText(text)).toEqual({ text, raw: true });
  });

  it.each([
    ['truncated', '{"content": [{"type": "text", "text": "I will rea'],
    [
      'truncated in a tool request',
      'Now:\n{"content":[{"type":"tool_use","id":"a","name":"read_file","input":{"path"',
    ],
    ['not valid JSON', '{"content": [{"type": "tool_use", "id": "a", "name": "x", "input": {path: 1}}]}'],
    ['a request without its list', '{"type": "tool_use", "name": "x", "input": {}}'],
  ])('that attempts the requested form but is %s is malformed', (_, text) => {
    expect(readText(text)).toEqual({ text, raw: true, malformed: true });
  });

  it('is searched in bounded time, even in hostile texts', () => {
    for (const piece of ['```a\n', '```\n', '{', '{"', '{"content":[', '{"a":{"b":'])
      expect(readText(piece.repeat(1_000_000 / piece.length))).toMatchObject({ raw: true });
  });

  it('cannot reach prototypes', () => {
    const read = readText('{"content": [{"__proto__": {"type": "tool_use"}}]}');
    const [block] = 'content' in read ? (read.content as readonly object[]) : [];
    expect(Object.getPrototypeOf(block)).toBe(null);
    expect((block as { type?: string }).type).toBeUndefined();
  });
});

describe('an answer of an agent', () => {
  const work = { exitCode: 0, outcome: 'done' };

  it('is the structured one if it has the right shape', () => {
    expect(readAnswer({ ...work, structured: ANSWER, answer: 'other' })).toEqual(ANSWER);
    expect(readAnswer({ ...work, structured: { other: 1 }, answer: JSON_TEXT })).toEqual(ANSWER);
  });

  it('that exceeds the size limit is kept by its beginning', () => {
    expect(readAnswer({ ...work, output: 'beginning', truncated: true })).toEqual({
      text: 'beginning',
      raw: true,
      truncated: true,
    });
  });
});
