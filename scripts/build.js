/**
 * Builds `dist/`:
 *
 *   chunks/*.cjs      the program in parts, each a function as Node makes it of a CommonJS file
 *   run.cjs           the parts that a run needs, in one file         run.cache   V8's code cache for it
 *   session.cjs       those that commands about sessions need         session.cache
 *   spawn-helper-*    a small program of its own, where there is a C compiler (Linux)
 *   stamp-*.node      what the program cannot do in JavaScript, where there is a C compiler (Linux)
 *   spawn-helper.cjs  the spawn helper for where there was none
 *   hook/             another, for the hooks of an agent: one script with its cache
 *
 * What belongs into a pack is found by calling commands; the cache is kept after calling them once more.
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

/** What is called often and no more: the smaller the cache, the quicker the start. */
const WARM_COMMANDS = {
  run: [['run', 'warm.yaml', '--quiet']],
  session: [
    ['session', 'start', 'Warm'],
    ['task', 'create', '--title', 'First', '--focus', 'src', '--requirement', 'It works'],
    ['task', 'create', '--title', 'Second', '--depends-on', 'IMPL-1'],
    ['task', 'decompose', 'IMPL-2', '--into', 'Half', 'Rest'],
    ['task', 'update', 'IMPL-1', '--status', 'completed'],
    ['views'],
    ['task', 'list'],
    ['session', 'status'],
    ['session', 'complete', '--force'],
  ],
};
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
  tool_input: { prompt: 'Phase ID: phase_0' },
  tool_response: { status: 'completed', agentId: 'a1', content: [{ type: 'text', text: 'DONE|a.txt' }] },
};
/** Of the session, in which the agent has just been called, and of the agent. */
const WARM_TRANSCRIPTS = {
  'warm.jsonl': [
    {
      ...{ type: 'assistant', timestamp: '2026-01-01T00:00:01.000Z' },
      message: {
        content: [{ type: 'tool_use', id: 'toolu_1', name: 'Agent', input: WARM_EVENT.tool_input }],
      },
    },
  ],
  'warm/subagents/agent-a1.jsonl': [
    { type: 'user', timestamp: '2026-01-01T00:00:02.000Z', message: { content: 'Phase ID: phase_0' } },
    { type: 'assistant', timestamp: '2026-01-01T00:00:03.000Z', message: { content: 'DONE|a.txt' } },
  ],
};

/** Of commands that are programs of their own, which there are none of, and 3 ms for every other command. */
const lateSpawn = {
  name: 'late-spawn',
  transform(code, id) {
    if (!id.endsWith('/commander/lib/command.js')) return undefined;
    const made = code.replace(
      "const childProcess = require('node:child_process');",
      "const childProcess = { get spawn() { return require('node:child_process').spawn; } };",
    );
    if (made === code) throw new Error('commander has changed: look at lateSpawn');
    return made;
  },
};

try {
  await bundle({ main: 'src/cli/main.ts' }, { dir: chunks, wrapped: true });
  await bundle({ 'spawn-helper': 'src/process/spawn-helper.ts' }, { dir: dist, wrapped: false });
  await bundle({ hook: 'src/phases/hook/main.ts' }, { dir: path.join(dist, 'hook'), wrapped: true });
  compileNative();
  for (const [pack, commands] of Object.entries(WARM_COMMANDS)) makePack(pack, commands);
  warmUpHook();
  takeItsPlace(path.join(root, 'dist'));
} finally {
  fs.rmSync(dist, { recursive: true, force: true });
}

/** Without them starting a process takes longer, and a daemon without our environment and session is not found. */
function compileNative() {
  if (process.platform !== 'linux') return;
  const machine = `${process.platform}-${process.arch}`;
  compile('spawn-helper.c', `spawn-helper-${machine}`, []);
  compile('stamp.c', `stamp-${machine}.node`, ['-shared', '-fPIC']);
}

function compile(source, name, flags) {
  const files = ['-o', path.join(dist, name), path.join(root, 'src', 'process', source)];
  const made = spawnSync('cc', ['-O2', ...flags, ...files], { encoding: 'utf8' });
  if (made.error?.code === 'ENOENT') return;
  if (made.status !== 0) console.warn(`${source} could not be compiled:\n${made.stderr}`);
}

function takeItsPlace(place) {
  const old = `${dist}.old`;
  if (fs.existsSync(place)) fs.renameSync(place, old);
  fs.renameSync(dist, place);
  fs.rmSync(old, { recursive: true, force: true });
}

async function bundle(input, { dir, wrapped }) {
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    logLevel: 'warn',
    plugins: [lateSpawn],
  });
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

function warmUpHook() {
  const hook = path.join(dist, 'hook');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-build-'));
  try {
    fs.mkdirSync(path.join(folder, '.claude', 'state'), { recursive: true });
    fs.writeFileSync(path.join(folder, '.claude', 'state', 'workflow.json'), JSON.stringify(WARM_PHASES));
    for (const [name, lines] of Object.entries(WARM_TRANSCRIPTS)) {
      const file = path.join(folder, name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    }
    const event = { ...WARM_EVENT, transcript_path: path.join(folder, 'warm.jsonl') };
    const { CLAUDE_PROJECT_DIR: _folder, ...env } = process.env;
    const made = spawnSync(process.execPath, [path.join(root, 'scripts', 'warm-up-hook.cjs'), hook], {
      ...{ cwd: folder, env, input: JSON.stringify(event), encoding: 'utf8' },
    });
    if (made.status !== 0 || !made.stdout.includes('Phase phase_1 (Second) is active'))
      throw new Error(`the built hook does not run:\n${made.stdout}${made.stderr}`);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function writePack(folder, pack, names) {
  const parts = names.map(
    (name) => `${JSON.stringify(name)}:${fs.readFileSync(path.join(folder, 'chunks', name), 'latin1')}`,
  );
  fs.writeFileSync(path.join(folder, `${pack}.cjs`), `({${parts.join(',\n')}})`);
}

function makePack(pack, commands) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-build-'));
  try {
    fs.writeFileSync(path.join(folder, 'warm.yaml'), WARM_WORKFLOW);
    warmUp(folder, [JSON.stringify(commands)]);
    writePack(dist, pack, JSON.parse(fs.readFileSync(path.join(folder, 'parts.json'), 'utf8')));
    warmUp(folder, [JSON.stringify(commands), pack]);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function warmUp(folder, argv) {
  const made = spawnSync(process.execPath, [path.join(root, 'scripts', 'warm-up.cjs'), dist, ...argv], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`the built program does not run:\n${made.stdout}${made.stderr}`);
}
