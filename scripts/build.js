/**
 * Builds `dist/`:
 *
 *   chunks/*.cjs      the program in parts, each a function as Node makes it of a CommonJS file
 *   hot.cjs           the parts that a run needs, in one file         hot.cache   V8's code cache for it
 *   spawn-helper.cjs  a small program of its own
 *   hook/             another, for the hooks of an agent, packed in the same way
 *
 * What belongs into `hot.cjs` is found by running a workflow; the cache is kept after running it once more.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
/** Put in the place of `dist` when it is whole: a build that fails leaves the last one as it was. */
const dist = path.join(root, `dist.${process.pid}`);
const chunks = path.join(dist, 'chunks');

/** What every run does and no more: the smaller the cache, the quicker the start. */
const WARM_WORKFLOW = `name: warm
steps:
  - name: Say
    command: ["true"]
`;

const WARM_PHASES = {
  ...{ id: 'wf_20260101_000000', task: 'warm', status: 'pending', current_phase: null },
  phases: ['First', 'Second'].map((title, i) => ({ id: `phase_${i}`, title, agent: '', status: 'pending' })),
  last_change: [
    { at: '2026-01-01T00:00:00.000Z', workflow: 'wf_20260101_000000', from: null, to: 'pending' },
  ],
};
const WARM_EVENT = {
  ...{ hook_event_name: 'PostToolUse', tool_name: 'Agent', tool_use_id: 'toolu_1', session_id: 'warm' },
  transcript_path: path.join(os.tmpdir(), 'no-transcript.jsonl'),
  tool_input: { prompt: 'Phase ID: phase_0' },
  tool_response: { status: 'completed', agentId: 'a1', content: [{ type: 'text', text: 'DONE|a.txt' }] },
};

try {
  await bundle({ main: 'src/cli/main.ts' }, { dir: chunks, wrapped: true });
  await bundle({ 'spawn-helper': 'src/process/spawn-helper.ts' }, { dir: dist, wrapped: false });
  await bundle(
    { main: 'src/phases/hook/main.ts' },
    { dir: path.join(dist, 'hook', 'chunks'), wrapped: true },
  );
  makeHotPack();
  makeHookPack();
  takeItsPlace(path.join(root, 'dist'));
} finally {
  fs.rmSync(dist, { recursive: true, force: true });
}

function takeItsPlace(place) {
  const old = `${dist}.old`;
  if (fs.existsSync(place)) fs.renameSync(place, old);
  fs.renameSync(dist, place);
  fs.rmSync(old, { recursive: true, force: true });
}

async function bundle(input, { dir, wrapped }) {
  const build = await rolldown({ input, cwd: root, platform: 'node', logLevel: 'warn' });
  const { output } = await build.generate({
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    minify: { compress: false, mangle: { toplevel: false }, codegen: { removeWhitespace: true } },
  });
  await build.close();
  fs.mkdirSync(dir, { recursive: true });
  for (const part of output) {
    const { fileName } = part;
    const code = copyingNothing(part.code);
    const text = wrapped ? `(function (exports, require, module, __filename, __dirname) {${code}\n})` : code;
    fs.writeFileSync(path.join(dir, fileName), ascii(text));
  }
}

/** The bundler copies the hundred functions of `node:fs` for every part that says `import fs from 'node:fs'`: 2 ms of a short run. */
function copyingNothing(code) {
  const made = code.replace(
    /var __toESM=\((?<mod>\w+),(?<isNodeMode>\w+),\w+\)=>/,
    '$&$<isNodeMode>?Object.create($<mod>,{default:{value:$<mod>,enumerable:true}}):',
  );
  if (made === code && code.includes('__toESM='))
    throw new Error('the runtime of the bundler has changed: look at copyingNothing');
  return made;
}

/** The launcher reads one byte a character, which is quicker. In strings and regular expressions the escape means the same. */
function ascii(text) {
  return text.replace(/[^\x00-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** All parts of it: a hook has no time to look for them. */
function makeHookPack() {
  const hook = path.join(dist, 'hook');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-build-'));
  try {
    writePack(hook, fs.readdirSync(path.join(hook, 'chunks')));
    fs.mkdirSync(path.join(folder, '.claude', 'state'), { recursive: true });
    fs.writeFileSync(path.join(folder, '.claude', 'state', 'workflow.json'), JSON.stringify(WARM_PHASES));
    const { CLAUDE_PROJECT_DIR: _folder, ...env } = process.env;
    const made = spawnSync(process.execPath, [path.join(root, 'scripts', 'warm-up-hook.cjs'), hook], {
      ...{ cwd: folder, env, input: JSON.stringify(WARM_EVENT), encoding: 'utf8' },
    });
    if (made.status !== 0 || !made.stdout.includes('Phase phase_1 (Second) is active'))
      throw new Error(`the built hook does not run:\n${made.stdout}${made.stderr}`);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function writePack(folder, names) {
  const parts = names.map(
    (name) => `${JSON.stringify(name)}:${fs.readFileSync(path.join(folder, 'chunks', name), 'latin1')}`,
  );
  fs.writeFileSync(path.join(folder, 'hot.cjs'), `({${parts.join(',\n')}})`);
}

function makeHotPack() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-build-'));
  try {
    fs.writeFileSync(path.join(folder, 'warm.yaml'), WARM_WORKFLOW);
    const names = warm(folder, 'list').split('\n').filter(Boolean);
    writePack(dist, names);
    warm(folder, 'cache');
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function warm(folder, mode) {
  const made = spawnSync(process.execPath, [path.join(root, 'scripts', 'warm-up.cjs'), mode, dist], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`the built program does not run:\n${made.stdout}${made.stderr}`);
  return made.stdout;
}
