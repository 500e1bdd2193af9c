// Reviews every changed file with an agent, asks a person about risky ones, then publishes.
//
//   orchestrate run review.workflow.ts --input base=main
import { workflow } from 'orchestrate-run';
import { z } from 'zod'; // npm install zod; any Standard Schema library will do

const Verdict = z.object({ verdict: z.enum(['ship', 'fix']), risk: z.enum(['low', 'high']) });

export default workflow({
  name: 'review',
  description: 'Reviews every changed file, and publishes if a person agrees',
  input: z.object({ base: z.string().default('main') }),
  output: z.object({ published: z.boolean() }),
  agents: { reviewer: { adapter: 'claude', model: 'opus', fallback: ['codex'] } },
  budget: { usd: 5 },
  async run(ctx, input) {
    const { lines: files } = await ctx.command('Changes', ['git', 'diff', '--name-only', input.base], {
      capture: 'lines',
    });
    const verdicts = await ctx.each(
      'Review',
      files,
      async (ctx, file) => {
        const { data } = await ctx.agent('Ask', {
          agent: 'reviewer',
          prompt: `Review the changes in ${file} since ${input.base}.`,
          schema: Verdict,
          expect: { reask: 1 },
        });
        return { file, ...data };
      },
      { limit: 3 },
    );
    const risky = verdicts.filter(({ risk }) => risk === 'high');
    if (risky.length > 0) {
      const message = `${risky.length} risky: ${risky.map(({ file }) => file).join(', ')}. Release?`;
      const go = await ctx.approve('Release', {
        message,
        choices: ['yes', 'no'],
        within: '3d',
        default: 'no',
      });
      if (go === 'no') return { published: false };
    }
    await ctx.command('Publish', ['./publish.sh'], { retries: 2, secrets: ['NPM_TOKEN'] });
    return { published: true };
  },
});
