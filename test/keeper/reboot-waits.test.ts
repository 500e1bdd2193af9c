/** The machine goes down while runs of every kind wait for a usage limit or sleep; each is taken up once, when its time has come. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ask, text } from '../converse/rig.ts';
import { killThoseIn, until } from '../rig/orchestrate.ts';
import { task } from '../session/rig.ts';
import { Machine } from './machine.ts';

/** A stand-in for Claude Code: the first call of each kind meets a limit, whose end is in the file `resets-at`; the second works. */
const CLAUDE = `#!${process.execPath}
const fs = require('node:fs');
const path = require('node:path');
const prompt = fs.readFileSync(0, 'utf8');
const root = path.join(__dirname, '..');
const kind = /KIND-(\\w+)/.exec(prompt)[1];
const calls = path.join(root, 'calls-' + kind);
fs.appendFileSync(calls, 'x');
const session_id = '00000000-0000-4000-8000-000000000001';
const say = (line) => fs.writeSync(1, JSON.stringify(line) + '\\n');
const result = { type: 'result', subtype: 'success', total_cost_usd: 0.01, num_turns: 1, session_id, usage: { input_tokens: 1, output_tokens: 1 } };
say({ type: 'system', subtype: 'init', session_id, model: 'stand-in' });
if (fs.readFileSync(calls, 'utf8').length === 1) {
  const resetsAt = Number(fs.readFileSync(path.join(root, 'resets-at'), 'utf8'));
  say({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } });
  say({ ...result, is_error: true, api_error_status: 429, result: "You've hit your limit" });
  process.exit(1);
}
if (kind === 'loop') fs.writeFileSync(path.join(root, 'claude-iterate/workspaces/task/.status.json'), '{"complete": true}');
const answers = {
  session: { approach: 'did it', files_modified: [], key_decisions: [], shared_context: {}, integration_points: [], verification: [], notes: '' },
  phases: { status: 'completed', deliverables: [], context_for_next: '', error: '' },
  talk: { content: [${JSON.stringify(text('Done.'))}] },
};
say({ ...result, is_error: false, result: 'done', structured_output: answers[kind] });
`;

const CODE = `import { workflow } from 'orchestrate-run';
import fs from 'node:fs';
export default workflow({
  name: 'NAME',
  agents: { claude: { adapter: 'claude' } },
  async run(ctx) {
    await ctx.do('Before', () => fs.appendFileSync('before-NAME', 'x'));
    WAITS
    return {};
  },
});
`;

const LIMIT_MS = 15_000;

it('runs of every kind that wait for a limit or sleep are taken up once, and what was done stays done', async () => {
  const machine = new Machine({
    'limit.yaml': 'name: limit\nsteps:\n  - { name: Ask, provider: claude, prompt: KIND-workflow }\n',
    'limit.workflow.mjs': CODE.replaceAll('NAME', 'limit').replace(
      'WAITS',
      "await ctx.agent('Ask', { agent: 'claude', prompt: 'KIND-code' });",
    ),
    'sleep.workflow.mjs': CODE.replaceAll('NAME', 'sleep').replace(
      'WAITS',
      `await ctx.sleep('Pause', ${LIMIT_MS});`,
    ),
    // Its first iteration leaves work; then it pauses.
    'pausing.sh':
      'cat > /dev/null\necho x >> iterations\n[ -e up ] && echo \'{"complete": true}\' > claude-iterate/workspaces/pausing/.status.json\ntrue\n',
    'talk/config/workflow.yaml': stringify({ task: 'KIND-talk', max_iterations: 3, agent: 'claude' }),
    'talk/config/tools.yaml': stringify({ tools: [] }),
    'bin/claude': CLAUDE,
    'resets-at': '0',
  });
  fs.chmodSync(path.join(machine.folder, 'bin', 'claude'), 0o755);
  const env = { PATH: `${path.join(machine.folder, 'bin')}:${process.env['PATH']}` };
  for (const name of ['task', 'pausing']) {
    await machine.ok(['iterate', 'init', name]);
    machine.write({ [`claude-iterate/workspaces/${name}/INSTRUCTIONS.md`]: 'KIND-loop\n' });
  }
  await machine.ok(['session', 'start', 'Work']);
  machine.write({
    '.workflow/WFS-work/.task/IMPL-1.json': JSON.stringify(task('IMPL-1', { title: 'KIND-session' })),
  });
  await machine.ok(['phases', 'create', 'KIND-phases', '--phase', 'Only one']);

  const pausing = ['--agent', `sh ${path.join(machine.folder, 'pausing.sh')}`, '--delay', '15'];
  const started: { readonly [name: string]: readonly string[] } = {
    workflow: ['run', 'limit.yaml', '--quiet'],
    code: ['run', 'limit.workflow.mjs', '--quiet'],
    loop: ['iterate', 'run', 'task', '--no-verify', '--no-delay'],
    session: ['execute', '--trust', '--quiet'],
    phases: ['phases', 'run', '--quiet'],
    talk: ['converse', 'run', 'talk', '--trust'],
    sleeping: ['run', 'sleep.workflow.mjs', '--quiet'],
    pausing: ['iterate', 'run', 'pausing', '--no-verify', ...pausing],
  };
  const runs: { [name: string]: string } = {};
  for (const [name, argv] of Object.entries(started)) {
    const before = new Set(machine.runs());
    const mine = () => machine.runs().find((id) => !before.has(id)) ?? '';
    const waiting = name === 'sleeping' || name === 'pausing' ? 'sleep-started' : 'attempt-ended';
    const waits = () => machine.journal(mine()).some(({ type }) => type === waiting);
    machine.write({ 'resets-at': String(Math.ceil((Date.now() + LIMIT_MS) / 1000)) });
    runs[name] = await machine.begin(name, argv, waits, { env });
    // Each at once, so that none works on before the machine is down.
    const process = machine.processes.get(name);
    process?.child.kill('SIGKILL');
    expect(await process?.ended).toMatchObject({ signal: 'SIGKILL' });
  }
  killThoseIn(machine.folder);
  machine.write({ up: '' });
  const names = Object.keys(started);
  const keeper = machine.start(['keep'], { env });
  await until(
    () =>
      names.every((name) => machine.status(runs[name] ?? '') === 'completed') ||
      keeper.child.exitCode !== null,
  );
  keeper.child.kill('SIGTERM');
  const { exitCode, stderr } = await keeper.ended;
  expect(exitCode, stderr).toBe(0);
  expect(names.map((name) => [name, machine.resumptions(runs[name] ?? '')])).toEqual(
    names.map((name) => [name, 1]),
  );
  // One call met the limit, one worked; nothing was done again.
  for (const kind of ['workflow', 'code', 'loop', 'session', 'phases', 'talk'])
    expect([kind, machine.read(`calls-${kind}`)]).toEqual([kind, 'xx']);
  expect(machine.read('before-limit')).toBe('x');
  expect(machine.read('before-sleep')).toBe('x');
  expect(machine.lines('iterations')).toHaveLength(2);
}, 240_000);

it('runs of code and conversations that wait for an answer are left alone, those that have one are taken up once', async () => {
  const asks = `import { workflow } from 'orchestrate-run';
export default workflow({ name: 'asks', run: async (ctx) => {
  const go = await ctx.approve('Release', { message: 'Release it?', choices: ['allow', 'deny'] });
  await ctx.command('After', ['bash', '-c', 'echo code >> done']);
  return { go };
} });
`;
  const talk = stringify({
    ...{ task: 'Do it', max_iterations: 3 },
    agent: {
      name: 'mock',
      script: {
        cases: [
          { prompt: 'This is iteration 1 of', structured: { content: [ask('t1', 'deploy', {})] } },
          { prompt: 'This is iteration 2 of', structured: { content: [text('Done.')] } },
        ],
      },
    },
  });
  const tools = stringify({
    tools: [{ name: 'deploy', command: ['bash', '-c', 'echo talk >> ../done'], approve: 'always' }],
  });
  const machine = new Machine({
    'asks.workflow.mjs': asks,
    ...{ 'open/config/workflow.yaml': talk, 'open/config/tools.yaml': tools },
    ...{ 'answered/config/workflow.yaml': talk, 'answered/config/tools.yaml': tools },
  });
  const runs: { [name: string]: string } = {};
  for (const [name, argv] of Object.entries({
    codeOpen: ['run', 'asks.workflow.mjs', '--quiet'],
    codeAnswered: ['run', 'asks.workflow.mjs', '--quiet'],
    talkOpen: ['converse', 'run', 'open', '--trust', '--quiet'],
    talkAnswered: ['converse', 'run', 'answered', '--trust', '--quiet'],
  })) {
    const before = new Set(machine.runs());
    expect(await machine.run(argv)).toMatchObject({ exitCode: 3 });
    runs[name] = machine.runs().find((id) => !before.has(id)) ?? '';
  }
  const { codeOpen = '', codeAnswered = '', talkOpen = '', talkAnswered = '' } = runs;
  for (const run of [codeAnswered, talkAnswered]) {
    const [key = ''] = Object.keys(machine.state(run).waiting_for ?? {});
    await machine.ok(['approve', run, key, '--choose', 'allow']);
  }
  const left = [codeOpen, talkOpen].map((run) => machine.journal(run).length);
  const keeper = machine.start(['keep']);
  await until(
    () =>
      [codeAnswered, talkAnswered].every((run) => machine.status(run) === 'completed') ||
      keeper.child.exitCode !== null,
  );
  keeper.child.kill('SIGTERM');
  const { exitCode, stderr } = await keeper.ended;
  expect(exitCode, stderr).toBe(0);
  expect([codeAnswered, talkAnswered].map((run) => machine.resumptions(run))).toEqual([1, 1]);
  expect([codeOpen, talkOpen].map((run) => machine.journal(run).length)).toEqual(left);
  expect(machine.lines('done').toSorted()).toEqual(['code', 'talk']);
}, 120_000);
