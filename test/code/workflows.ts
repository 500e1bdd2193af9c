/** Workflows in code for tests, as `.mjs`, which every supported Node loads. */
import { Workspace } from '../rig/orchestrate.ts';

export function codeWorkspace(body: string, files: { readonly [path: string]: string } = {}): Workspace {
  return new Workspace({ 'w.workflow.mjs': workflowText(body), ...files });
}

export function workflowText(body: string): string {
  return `import { StepFailed, effect, workflow } from 'orchestrate-run';
import fs from 'node:fs';

export default workflow({
  name: 'tested',
  agents: { helper: { adapter: 'mock' } },
  async run(ctx, input) {
${body
  .trim()
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
  },
});
`;
}

/** Every call counts itself in a file, so that a repetition is seen. */
export const REVIEW = `
const { lines } = await ctx.command('Changes', ['sh', '-c', 'echo x >> counts-Changes; cat list.txt'], { capture: 'lines' });
const reviews = await ctx.each('Review', lines, async (ctx, file) => {
  const { text } = await ctx.agent('Ask', { agent: 'helper', prompt: \`Review \${file}\` });
  return ctx.do('Note', () => {
    fs.appendFileSync(\`counts-Note-\${file}\`, 'x\\n');
    return { file, length: text.length };
  });
}, { limit: 2 });
const both = await ctx.all('Both', {
  a: (ctx) => ctx.now('At'),
  b: async (ctx) => (await ctx.command('Echo', ['sh', '-c', 'echo x >> counts-Echo; echo b'])).stdout,
});
const id = await ctx.uuid('Id');
const go = await ctx.approve('Release', { message: \`Release \${reviews.length}?\`, choices: ['yes', 'no'], within: 0, default: 'yes' });
await ctx.write('Save', 'saved.txt', go);
const { stdout } = await ctx.command('Publish', ['sh', '-c', 'echo x >> counts-Publish; echo done']);
return { files: reviews.map(({ file }) => file), both: both.b, hasId: id.length === 36, go, stdout };
`;

export const REVIEWED = { files: ['a.ts', 'b.ts'], both: 'b', hasId: true, go: 'yes', stdout: 'done' };

export const LIST = { 'list.txt': 'a.ts\nb.ts\n' };
