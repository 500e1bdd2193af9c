/** Answers that would block a hook for minutes if a reader backtracked. */
import { describe, expect, it } from 'vitest';
import { agentEnded, calculator } from './site.ts';

const SIZE = 1_000_000;
/** Short enough to be read from the start of its line. */
const STARRED = `${'*'.repeat(SIZE / 4)}x`;

describe('an answer', () => {
  it.each<[string, string, object]>([
    ['of hex digits', '0123456789abcdef'.repeat(SIZE / 16), {}],
    ['of folders without an end', 'a/'.repeat(SIZE / 2), {}],
    ['with a long name and no ending', `${'a-'.repeat(SIZE / 2)}!`, {}],
    ['with `DONE|` and stars', `DONE|${STARRED}`, { deliverables: [STARRED] }],
    ['of lines of `>`', `${'>\n'.repeat(SIZE / 2)}Deliverables: a.py`, { deliverables: ['a.py'] }],
    ['of lines of `>` after words', `It is the context for me.\n${'>\n'.repeat(SIZE / 2)}`, {}],
    [
      'of lines of `>` before a context',
      `${'>\n'.repeat(SIZE / 2)}Context for next: b`,
      { context_for_next: 'b' },
    ],
    [
      'of an item that begins with blanks',
      `${' \n'.repeat(SIZE / 2)}Deliverables:\n- ${' '.repeat(SIZE / 5)}a\u2028b`,
      { deliverables: ['a\u2028b'] },
    ],
    [
      'of as many things as it is long',
      `${' \n'.repeat(SIZE / 2)}Deliverables: ${'a,'.repeat(SIZE / 10)}b`,
      { deliverables: ['a', 'b'] },
    ],
  ])('%s, is read in time linear in its length', async (_what, answer, expected) => {
    const site = await calculator();
    await site.phases('start');
    const ended = await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0', answer }));
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(site.document().phases[0]).toMatchObject({ status: 'completed', ...expected });
  });

  it('is read in time linear in its length even if it names its phase with a million dots', async () => {
    const site = await calculator();
    const prompt = `Phase ID: a${'.'.repeat(SIZE)}b.\nPhase ID: phase_0`;
    expect(await site.hook('post-tool-use', agentEnded({ prompt }))).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
    expect(site.statuses()).toEqual(['pending', 'pending']);
  });
});
