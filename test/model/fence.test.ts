import { expect, it } from 'vitest';
import { fence } from '../../src/model/fence.ts';

it.each([
  ['plain', '```\nplain\n```'],
  ['a `b` ``c``', '```\na `b` ``c``\n```'],
  ['```\ncode\n```', '````\n```\ncode\n```\n````'],
])('a text cannot close its own block: %j', (text, block) => {
  expect(fence(text)).toBe(block);
});

it('fences a text with any number of backquotes', () => {
  const text = '` '.repeat(300_000);
  expect(fence(text, 'text')).toBe(`\`\`\`text\n${text}\n\`\`\``);
});
