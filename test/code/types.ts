/** Checked by the compiler, as part of `npm run types`: every `@ts-expect-error` below must be an error, and nothing else. */
import * as v from 'valibot';
import { effect, workflow } from '../../src/sdk/index.ts';

const Verdict = v.object({ verdict: v.picklist(['ship', 'fix']), risk: v.picklist(['low', 'high']) });

export const openPr = effect({
  name: 'open-pr',
  input: v.object({ title: v.string() }),
  output: v.object({ url: v.string() }),
  async run({ title }, { idempotencyKey }) {
    return { url: `${title} ${idempotencyKey}` };
  },
});

interface Plain {
  readonly name: string;
  readonly note?: string;
}

export const review = workflow({
  name: 'review',
  input: v.object({ base: v.optional(v.string(), 'main') }),
  output: v.object({ published: v.boolean() }),
  agents: { reviewer: { adapter: 'claude', model: 'opus' } },
  budget: { usd: 5 },
  async run(ctx, input) {
    const base: string = input.base;
    const { lines: files } = await ctx.command('Changes', ['git', 'diff', base], { capture: 'lines' });
    const verdicts = await ctx.each(
      'Review',
      files,
      async (ctx, file) => {
        const { data } = await ctx.agent('Ask', { agent: 'reviewer', prompt: file, schema: Verdict });
        return { file, ...data };
      },
      { limit: 3 },
    );
    const risky: ('low' | 'high')[] = verdicts.map(({ risk }) => risk);
    // @ts-expect-error: not a risk
    risky.includes('medium');
    const go = await ctx.approve('Release', { message: 'Release?', choices: ['yes', 'no'], default: 'no' });
    // @ts-expect-error: not a choice
    if (go === 'maybe') return { published: false };
    // @ts-expect-error: the default is not a choice
    await ctx.approve('Other', { message: 'Release?', choices: ['yes', 'no'], default: 'maybe' });
    // @ts-expect-error: a date is not JSON
    await ctx.do('Date', () => new Date());
    // @ts-expect-error: a map is not JSON
    await ctx.do('Map', async () => ({ inner: new Map<string, string>() }));
    const plain: Plain = await ctx.do('Plain', async (): Promise<Plain> => ({ name: 'a' }));
    await ctx.do('Nothing', async () => {});
    const { url } = await ctx.do('Pr', openPr, { title: plain.name });
    url.toUpperCase();
    // @ts-expect-error: the title is text
    await ctx.do('Pr', openPr, { title: 3 });
    const { a, b } = await ctx.all('Both', { a: async () => 1, b: async (ctx) => ctx.now('Now') });
    a.toFixed();
    b.toUpperCase();
    const { json } = await ctx.command('Json', ['cat', 'x.json'], { capture: 'json' });
    JSON.stringify(json);
    return { published: true };
  },
});

export const caller = workflow({
  name: 'caller',
  async run(ctx, input) {
    JSON.stringify(input);
    const { published } = await ctx.call('Review', review, { base: 'main' });
    // @ts-expect-error: base is text
    await ctx.call('Review', review, { base: 1 });
    return { published: published === true };
  },
});

export const wrongOutput = workflow({
  name: 'wrong',
  output: v.object({ published: v.boolean() }),
  // @ts-expect-error: text is not a boolean
  async run() {
    return { published: 'yes' };
  },
});

// @ts-expect-error: a date is not JSON
export const notJson = workflow({
  name: 'not-json',
  async run() {
    return { at: new Date() };
  },
});
