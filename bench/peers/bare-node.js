/** The baseline of all comparisons: the same spawns in a loop, with pipes, and nothing recorded. */
const LOOP = `
const { spawn } = require('node:child_process');
const [count, width] = process.argv.slice(1).map(Number);
let left = count;
const lane = async () => {
  while (left-- > 0) await new Promise((done) => spawn('true', { stdio: 'pipe' }).once('close', done));
};
for (let i = 0; i < width; i += 1) lane();
`;

export const bareNode = {
  name: 'a bare Node loop',
  is: 'nothing',
  find: () => process.versions.node,
  prepare: ({ count, shape, width }) => ({
    argv: [process.execPath, '-e', LOOP, String(count), String(shape === 'chain' ? 1 : width)],
  }),
};
