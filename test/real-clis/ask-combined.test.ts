/** `ask` together with other keys, and its rules in every place that can have them, with the real Claude Code. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ModelServer, RequestBody, Turn } from '../rig/model-server/server.ts';
import { startModelServer } from '../rig/model-server/server.ts';
import { type Ended, until } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { CliWorkspace } from './cli-workspace.ts';
import { type CliSite, CLAUDE_325 as cli } from './clis.ts';
import { installClis } from './install.ts';

const RULE = '{tool: Bash, command: "*push*", do: ask}';
const DONE: Turn = { type: 'text', text: 'Done.' };

beforeAll(installClis, 15 * 60_000);

describe('ask', { timeout: 180_000 }, () => {
  let site: CliWorkspace;
  let log: string;

  beforeEach(() => {
    site = new CliWorkspace([cli], {});
    log = path.join(temporaryFolder(), 'calls');
  });

  afterEach(async () => {
    if (site.workspace.runs().length > 0) await site.expectNothingLeft();
  });

  const push = (name = ''): Extract<Turn, { type: 'tool' }> =>
    cli.tools.shell(`echo push${name} >> ${log}`) as Extract<Turn, { type: 'tool' }>;
  const calls = (): string => (fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '');
  const write = (text: string): void => site.workspace.write({ 'w.yaml': text });
  const run = (server: ModelServer, given: Partial<CliSite> = {}, ...flags: string[]): Promise<Ended> =>
    site.run(['run', 'w.yaml', '--trust', ...flags], server, given);
  const open = (): readonly string[] => Object.keys(site.workspace.state().waiting_for ?? {}).sort();
  const approve = async (key: string, choice = 'allow'): Promise<void> => {
    const ended = await site.workspace.run(['approve', 'last', key, '--choose', choice]);
    expect(ended.exitCode, ended.stderr).toBe(0);
  };
  const asked = async (ended: Promise<Ended>, keys: readonly string[]): Promise<void> => {
    const { exitCode, stderr } = await ended;
    expect(exitCode, stderr).toBe(3);
    expect(open()).toEqual(keys);
  };
  const step = (keys: string, name = 'Ship', provider = 'claude'): string =>
    `  - {name: ${name}, provider: ${provider}, prompt: Ship it., permissions: bypass, ${keys}}\n`;

  describe('where the rules are', () => {
    it('on the provider, also for the agent that takes over from it', async () => {
      write(
        `providers:\n  first: {adapter: claude, ask: [${RULE}], fallback: [second]}\n  second: {adapter: claude}\nsteps:\n${step('retries: 0', 'Ship', 'first')}`,
      );
      const server = await site.serve([
        {
          ...{ type: 'error', status: 529, kind: 'overloaded_error', message: 'busy' },
          until: () => site.events('step-ended').length > 0,
        },
        push(),
        DONE,
      ]);
      const ended = await run(server);
      expect(ended.exitCode, ended.stderr).toBe(3);
      const [key = ''] = open();
      expect(key).toMatch(/^Ship\/agent2-toolu_\d+$/);
      expect(calls()).toBe('');
      await approve(key);
      const resumed = await site.resume(server);
      expect(resumed.exitCode, resumed.stderr).toBe(0);
      expect(calls()).toBe('push\n');
    });

    it("a step's list replaces that of its provider, even if it is empty", async () => {
      write(
        `providers: {mine: {adapter: claude, ask: [${RULE}]}}\nsteps:\n${step('ask: []', 'Free', 'mine')}${step('retries: 0', 'Bound', 'mine')}`,
      );
      const server = await site.serve([push('-free'), DONE, push('-bound'), DONE]);
      await asked(run(server), ['Bound/toolu_3']);
      expect(calls()).toBe('push-free\n');
      await approve('Bound/toolu_3');
      expect((await site.resume(server)).exitCode).toBe(0);
      expect(calls()).toBe('push-free\npush-bound\n');
    });

    it("in the user's own settings, before those of the folder, which cannot undo them", async () => {
      write(`steps:\n${step('retries: 0')}`);
      site.workspace.write({ '.orchestrate/config.yaml': 'ask: [{do: allow}]\n' });
      const server = await site.serve([push(), DONE]);
      const { HOME: home = '' } = site.environment(server);
      fs.mkdirSync(path.join(home, '.config', 'orchestrate'), { recursive: true });
      fs.writeFileSync(path.join(home, '.config', 'orchestrate', 'config.yaml'), `ask: [${RULE}]\n`);
      await asked(run(server), ['Ship/toolu_1']);
      await approve('Ship/toolu_1', 'deny');
      expect((await site.resume(server)).exitCode).toBe(1);
      expect(calls()).toBe('');
    });

    it.each([
      ['the workspace', ['-w', 'task']],
      ['the project', []],
      ['the user', ['--global']],
    ] as const)('of a loop, in the settings of %s', async (_, flags) => {
      const server = await site.serve([push(), DONE]);
      const rule = '{"tool": "Bash", "command": "*push*", "do": "ask"}';
      for (const argv of [
        ['init', 'task'],
        ['config', ...flags, 'ask', '--add', rule],
      ]) {
        const ended = await site.run(['iterate', ...argv], server);
        expect(ended.exitCode, ended.stderr).toBe(0);
      }
      site.workspace.write({ 'claude-iterate/workspaces/task/INSTRUCTIONS.md': '# Push it\n' });
      const options = ['--max-iterations', '1', '--dangerously-skip-permissions', '--no-verify', '--trust'];
      await site.run(['iterate', 'run', 'task', ...options], server);
      const [key = ''] = open();
      expect(key).toMatch(/toolu_1$/);
      expect(calls()).toBe('');
      await approve(key);
      await site.resume(server);
      expect(calls()).toBe('push\n');
    });
  });

  describe('together with', () => {
    it('`budget`: every process counts; the allowed call runs, and nothing new starts', async () => {
      write(`budget: {tokens: 150}\nsteps:\n${step(`ask: [${RULE}]`)}${step('retries: 0', 'Next')}`);
      const server = await site.serve([push(), DONE, DONE]);
      await asked(run(server), ['Ship/toolu_1']);
      await approve('Ship/toolu_1');
      const ended = await site.resume(server);
      expect(ended.exitCode, ended.stderr).toBe(1);
      // What was allowed is done and paid for; what comes after it does not start.
      expect(calls()).toBe('push\n');
      expect(site.workspace.step('Ship')).toMatchObject({ status: 'completed' });
      expect(site.workspace.state().totals).toMatchObject({ agent_calls: 2, tokens: { input: 200 } });
      expect(server.requests).toHaveLength(2);
    });

    it('`timeout_sec`: the time until the answer does not count', async () => {
      write(`steps:\n${step(`timeout_sec: 30, ask: [${RULE}]`)}`);
      const server = await site.serve([push(), DONE]);
      await asked(run(server), ['Ship/toolu_1']);
      await approve('Ship/toolu_1');
      // As if the question had been open for a day.
      const env = { ...site.environment(server) };
      const later = site.workspace.start(['resume', 'last'], {
        env: { ...env, NODE_OPTIONS: `--require ${tomorrow()}` },
      });
      const ended = await later.ended;
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(calls()).toBe('push\n');
      const [asking] = site.events('attempt-asked');
      const [end] = site.events('step-ended').filter(({ key }) => key === 'Ship');
      expect(Date.parse(end?.at ?? '') - Date.parse(asking?.at ?? '')).toBeGreaterThan(80_000_000);
      expect(site.workspace.step('Ship').duration_ms).toBeLessThan(80_000_000);
    });

    it('`retries`: a failure after the answer continues the conversation, and asks nothing again', async () => {
      write(`steps:\n${step(`retries: {max: 1, delay_ms: 1}, ask: [${RULE}]`)}`);
      const server = await site.serve([
        push(),
        {
          ...{ type: 'error', status: 500, kind: 'api_error', message: 'broken' },
          until: () => site.events('attempt-ended').length > 0,
        },
        DONE,
      ]);
      await asked(run(server), ['Ship/toolu_1']);
      await approve('Ship/toolu_1');
      const ended = await site.resume(server);
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(calls()).toBe('push\n');
      expect(site.events('question-asked')).toHaveLength(1);
      expect(site.workspace.step('Ship')).toMatchObject({ outcome: 'done', attempts: 2 });
    });

    it('`retries`: a failure before the question', async () => {
      write(`steps:\n${step(`retries: {max: 1, delay_ms: 1}, ask: [${RULE}]`)}`);
      const server = await site.serve([
        {
          ...{ type: 'error', status: 500, kind: 'api_error', message: 'broken' },
          until: () => site.events('attempt-ended').length > 0,
        },
        push(),
        DONE,
      ]);
      const ended = await run(server);
      expect(ended.exitCode, ended.stderr).toBe(3);
      const [key = ''] = open();
      await approve(key);
      expect((await site.resume(server)).exitCode).toBe(0);
      expect(calls()).toBe('push\n');
    });

    it('`fork_from`: the copy of a conversation asks for itself', async () => {
      write(
        `steps:\n${step(`ask: [${RULE}]`, 'One')}${step(`fork_from: One, ask: [${RULE}]`, 'Two')}${step(`fork_from: One, ask: [${RULE}]`, 'Three')}`,
      );
      const server = await site.serve([DONE, push('-2'), DONE, push('-3'), DONE]);
      await asked(run(server), ['Two/toolu_2']);
      await approve('Two/toolu_2');
      await asked(site.resume(server), ['Three/toolu_4']);
      await approve('Three/toolu_4', 'deny');
      expect((await site.resume(server)).exitCode).toBe(1);
      expect(calls()).toBe('push-2\n');
      // Neither copy has the words of the other.
      expect(JSON.stringify(server.requests.at(-1)?.body['messages'])).not.toContain('push-2');
    });

    it('`--dry-run`: nothing is asked and nothing runs', async () => {
      write(`steps:\n${step(`ask: [${RULE}]`)}`);
      const server = await site.serve([]);
      expect(await run(server, {}, '--dry-run')).toMatchObject({ exitCode: 0 });
      expect(server.requests).toHaveLength(0);
      expect(calls()).toBe('');
    });

    it('a usage limit after the answer is waited for; the call is not repeated', async () => {
      write(`steps:\n${step(`retries: 0, ask: [${RULE}]`)}`);
      const resetsAt = Math.ceil(Date.now() / 1000) + 1;
      const server = await site.serve([
        push(),
        {
          ...{ type: 'error', status: 429, kind: 'rate_limit_error', message: 'limit' },
          headers: {
            'anthropic-ratelimit-unified-status': 'rejected',
            'anthropic-ratelimit-unified-reset': String(resetsAt),
            'anthropic-ratelimit-unified-representative-claim': 'five_hour',
          },
          until: () => site.events('attempt-ended').length > 0,
        },
        DONE,
      ]);
      await asked(run(server, { plan: true }), ['Ship/toolu_1']);
      await approve('Ship/toolu_1');
      const ended = await site.run(['resume', 'last'], server, { plan: true });
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(site.events('attempt-ended')).toMatchObject([
        { counted: false, failure: { outcome: { type: 'rate-limited' } } },
      ]);
      expect(calls()).toBe('push\n');
      expect(site.events('question-asked')).toHaveLength(1);
    });
  });

  it('several are open at once in parallel branches, and each is answered by itself', async () => {
    const branch = (name: string): string =>
      `          - {name: ${name}, provider: claude, prompt: "Ship ${name}.", permissions: bypass, ask: [${RULE}]}\n`;
    write(
      `steps:\n  - name: All\n    parallel:\n      max_parallel: 3\n      branches:\n${['A', 'B', 'C'].map((name) => `        - name: ${name}\n          steps:\n  ${branch(name)}`).join('')}`,
    );
    const nameIn = (body: RequestBody): string => /Ship ([ABC])\./.exec(JSON.stringify(body))?.[1] ?? '?';
    const server = await startModelServer((body) =>
      JSON.stringify(body['messages']).includes('"tool_result"') ? DONE : push(`-${nameIn(body)}`),
    );
    try {
      const first = await run(server);
      expect(first.exitCode, first.stderr).toBe(3);
      const keys = open();
      expect(keys.map((key) => key.replace(/\/toolu_\d+$/, ''))).toEqual(['All/A/A', 'All/B/B', 'All/C/C']);
      const [a = '', b = '', c = ''] = keys;
      await approve(b);
      const second = await site.resume(server);
      expect(second.exitCode, second.stderr).toBe(3);
      expect(calls()).toBe('push-B\n');
      expect(open()).toEqual([a, c]);
      await approve(a);
      await approve(c, 'deny');
      const last = await site.resume(server);
      expect(last.exitCode, last.stderr).toBe(1);
      expect(calls().split('\n').sort()).toEqual(['', 'push-A', 'push-B']);
      expect(site.events('question-asked')).toHaveLength(3);
    } finally {
      await server.close();
    }
  });

  it('a kill at the moment of the call, before it runs, is asked about again: it never runs twice', async () => {
    write(`steps:\n${step(`ask: [${RULE}]`)}`);
    // A hook of the user that holds the call which was allowed.
    const gate = temporaryFolder();
    const hold = `cat > /dev/null; n=$(ls ${gate} | wc -l); touch ${gate}/$n; [ $n != 1 ] || sleep 271`;
    const settings = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: hold }] }] } };
    const server = await site.serve([push(), DONE]);
    await asked(run(server, { settings }), ['Ship/toolu_1']);
    await approve('Ship/toolu_1');
    const resuming = site.start(['resume', 'last'], server, { settings });
    await until(() => fs.readdirSync(gate).length === 2);
    await until(() => fs.readdirSync(path.join(site.workspace.runFolder(), 'asks')).length > 0);
    resuming.child.kill('SIGKILL');
    await resuming.ended;
    expect(calls()).toBe('');
    const again = await site.run(['resume', 'last'], server, { settings });
    expect(again.exitCode, again.stderr).toBe(3);
    await approve('Ship/toolu_1-2');
    const ended = await site.run(['resume', 'last'], server, { settings });
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(calls()).toBe('push\n');
  });
});

/** A module that moves the clock of the program by a day. */
function tomorrow(): string {
  const file = path.join(temporaryFolder(), 'tomorrow.cjs');
  fs.writeFileSync(
    file,
    `if (/orchestrate/.test(process.argv[1] ?? '')) { const day = 86_400_000, real = Date; globalThis.Date = class extends real { constructor(...given) { if (given.length === 0) super(real.now() + day); else super(...given); } static now() { return real.now() + day; } }; }\n`,
  );
  return file;
}
