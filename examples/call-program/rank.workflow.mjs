// Called by call-program.yaml, and a workflow of its own:
//
//   orchestrate run rank.workflow.mjs --input '{"list": "words.txt", "most": 2}'
import { workflow } from 'orchestrate-run';

export default workflow({
  name: 'rank',
  async run(ctx, { list, most }) {
    const words = (await ctx.read('Words', list)).split(/\s+/).filter((word) => word !== '');
    const counted = await ctx.each('Count', words, async (ctx, word) => {
      const { stdout } = await ctx.command('Length', ['expr', 'length', word]);
      return { word, length: Number(stdout) };
    });
    const ranked = counted.toSorted((one, other) => other.length - one.length).slice(0, most);
    return { longest: ranked.map(({ word }) => word).join(', ') };
  },
});
