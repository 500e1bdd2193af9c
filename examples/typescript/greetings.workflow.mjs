// Greets everybody in a file with an agent, three at a time, and asks before it sends anything. It needs no TypeScript and no schema library.
//
//   orchestrate run greetings.workflow.mjs --input list=people.txt
import { StepFailed, workflow } from 'orchestrate-run';

export default workflow({
  name: 'greetings',
  agents: { writer: { adapter: 'mock' } }, // try `adapter: 'claude'`
  async run(ctx, { list = 'people.txt' }) {
    const { lines: people } = await ctx.command('People', ['cat', list], { capture: 'lines' });
    const letters = await ctx.each(
      'Letter',
      people,
      async (ctx, person) => {
        const { text } = await ctx.agent('Write', {
          agent: 'writer',
          prompt: `Greet ${person} in one sentence.`,
        });
        await ctx.write('Save', `letters/${person}.txt`, `${text}\n`);
        return { person, length: text.length };
      },
      { limit: 3 },
    );
    const total = await ctx.do('Count', () => letters.reduce((sum, { length }) => sum + length, 0));
    ctx.log(`${letters.length} letters, ${total} characters`);
    const go = await ctx.approve('Send', {
      message: `Send ${letters.length} letters?`,
      choices: ['yes', 'no'],
    });
    if (go === 'no') return { sent: 0 };
    try {
      await ctx.command('Post', ['ls', 'letters']);
    } catch (problem) {
      if (!(problem instanceof StepFailed)) throw problem;
      return { sent: 0 };
    }
    return { sent: letters.length };
  },
});
