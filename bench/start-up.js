/** Start-up time. */
import fs from 'node:fs';
import path from 'node:path';
import { interleaved, row, timed } from './measure.js';
import { inFolder, ORCHESTRATE, ROOT } from './workspace.js';

export async function startUp({ quick, node: program = process.execPath }) {
  return inFolder(async (folder) => {
    fs.writeFileSync(
      path.join(folder, 'one.yaml'),
      'name: one\nsteps:\n  - name: A\n    command: ["true"]\n',
    );
    const node =
      (...argv) =>
      async () =>
        (await timed([program, ...argv], { cwd: folder })).ms;
    const times = await interleaved(
      {
        bare: node('-e', '0'),
        version: node(ORCHESTRATE, '--version'),
        one: node(ORCHESTRATE, 'run', 'one.yaml', '--quiet'),
        help: node(ORCHESTRATE, '--help'),
      },
      quick ? 10 : 30,
    );
    return [
      row('orchestrate --version, x node -e 0', times.ratio('version', 'bare'), 1.2),
      row('a run of one `true` step, x node -e 0', times.ratio('one', 'bare'), 2.5),
      row('orchestrate --help, x node -e 0', times.ratio('help', 'bare')),
    ];
  });
}

/** One step in five is a script with values in it, the rest are plain commands. */
function commandOf(i) {
  return i % 5 === 0
    ? `["bash", "-c", "echo building part ${i} of \${context.project} && test -n \${context.project}"]`
    : `["node", "scripts/build.js", "--part", "${i}", "--project", "\${context.project}", "--output", "artifacts/part-${i}"]`;
}

/** Validating a file of 2,000 steps, compared with only parsing it. */
export async function validate({ quick }) {
  return inFolder(async (folder) => {
    const steps = Array.from(
      { length: 2000 },
      (_, i) => `  - name: Step${i}
    agent: engineer
    command: ${commandOf(i)}
    output_file: "artifacts/part-${i}/log.txt"
    output_capture: text
    timeout_sec: 600
    when:
      equals: {left: "\${context.mode}", right: "full"}
    on:
      failure: {goto: Step${Math.min(i + 1, 1999)}}
`,
    );
    fs.writeFileSync(
      path.join(folder, 'big.yaml'),
      `name: big\ncontext: {project: site, mode: full}\nsteps:\n${steps.join('')}`,
    );
    const parse = `require(${JSON.stringify(path.join(ROOT, 'node_modules', 'yaml'))}).parseDocument(require('node:fs').readFileSync('big.yaml', 'utf8'))`;
    const node =
      (...argv) =>
      async () =>
        (await timed([process.execPath, ...argv], { cwd: folder })).ms;
    const times = await interleaved(
      { parse: node('-e', parse), validate: node(ORCHESTRATE, 'validate', 'big.yaml') },
      quick ? 3 : 7,
    );
    return [row('validate 2,000 steps, x the yaml library alone', times.ratio('validate', 'parse'), 1.5)];
  });
}
