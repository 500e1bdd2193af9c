/** `ask` with the real Claude Code: a dangerous tool call waits for a person, in no process, and runs once if it is allowed. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ModelServer, Turn } from '../rig/model-server/server.ts';
import { type Ended, until } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { CliWorkspace } from './cli-workspace.ts';
import { CLAUDE_197, CLAUDE_325, type CliSite } from './clis.ts';
import { installClis } from './install.ts';

const HAS_BUBBLEWRAP = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;
const RULES = 'ask: [{tool: Bash, command: "push*", do: ask}, {tool: Bash, command: "wipe*", do: deny}]';
const DONE: Turn = { type: 'text', text: 'Done.' };

beforeAll(installClis, 15 * 60_000);

describe.each([CLAUDE_325, CLAUDE_197])('ask with claude $version', { timeout: 180_000 }, (cli) => {
  let site: CliWorkspace;
  /** A folder with the programs `push` and `wipe`, which write a line for each call. */
  let tools: string;

  beforeEach(() => {
    site = new CliWorkspace([cli], {});
    tools = temporaryFolder();
    for (const name of ['push', 'wipe'])
      fs.writeFileSync(path.join(tools, name), `#!/bin/sh\necho "${name} $*" >> ${tools}/calls\n`, {
        mode: 0o755,
      });
  });

  afterEach(async () => {
    if (site.workspace.runs().length > 0) await site.expectNothingLeft();
  });

  const calls = (): string => {
    const file = path.join(tools, 'calls');
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  };
  const shell = (command: string) => cli.tools.shell(`${tools}/${command}`);
  const write = (keys = '', more = ''): void =>
    site.workspace.write({
      'w.yaml': `steps:\n  - {name: Ship, provider: claude, prompt: Ship it., permissions: bypass, ${RULES}${keys}}\n${more}`,
    });
  const run = (server: ModelServer, given: Partial<CliSite> = {}, ...flags: string[]): Promise<Ended> =>
    site.run(['run', 'w.yaml', '--trust', ...flags], server, given);
  const approve = async (key: string, choice: string, ...flags: string[]): Promise<void> => {
    const ended = await site.workspace.run(['approve', 'last', key, '--choose', choice, ...flags]);
    expect(ended.stderr).toContain(`Recorded \`${choice}\` for \`${key}\``);
  };
  const told = (server: ModelServer): string => JSON.stringify(server.requests.at(-1)?.body['messages']);

  it('exits with 3 and nothing alive; allowed, the call runs exactly once, with the same id', async () => {
    write();
    const server = await site.serve([shell('push origin main'), DONE]);
    const asked = await run(server);
    expect(asked.exitCode, asked.stderr).toBe(3);
    expect(asked.stderr).toContain(`Ship/toolu_1: Allow \`Bash: ${tools}/push origin main\`?`);
    await site.expectNothingLeft();
    expect(calls()).toBe('');
    expect(site.workspace.state()).toMatchObject({
      status: 'waiting',
      waiting_for: {
        'Ship/toolu_1': {
          choices: ['allow', 'deny'],
          detail: `tool: Bash\ncommand: ${tools}/push origin main\ndescription: run it`,
        },
      },
    });

    await approve('Ship/toolu_1', 'allow');
    const resumed = await site.resume(server);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(calls()).toBe('push origin main\n');
    expect(told(server)).toMatch(/"tool_use_id":"toolu_1"/);
    expect(server.requests).toHaveLength(2);
    const step = site.workspace.step('Ship');
    expect(step).toMatchObject({ status: 'completed', outcome: 'done', output: 'Done.', attempts: 1 });
    // Both processes are paid for.
    expect(site.workspace.state().totals).toMatchObject({
      agent_calls: 2,
      tokens: { input: 200, output: 40 },
    });
    expect(step.usage).toMatchObject({ inputTokens: 200, outputTokens: 40 });
  });

  it('denied, the model learns it with the comment, and the step is judged as after any refused tool', async () => {
    write();
    const server = await site.serve([shell('push origin main'), DONE]);
    expect((await run(server)).exitCode).toBe(3);
    await approve('Ship/toolu_1', 'deny', '--comment', 'not on a Friday');
    const resumed = await site.resume(server);
    expect(resumed.exitCode, resumed.stderr).toBe(1);
    expect(resumed.stderr).toContain(
      '\n  Ship: the agent was denied `Bash`; a person refused it. Its last words: "Done."\n',
    );
    expect(calls()).toBe('');
    expect(told(server)).toContain('A person denied this call. They said: not on a Friday');
    expect(site.workspace.step('Ship')).toMatchObject({ status: 'failed', outcome: 'denied' });
  });

  it('a rule denies at once; with proof of the work, a denial is only a warning', async () => {
    write(', expect: {files: [w.yaml]}');
    const server = await site.serve([shell('wipe all'), DONE]);
    const ended = await run(server);
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(ended.stderr).toContain(
      'all checks passed, although the agent was denied `Bash`; a rule of `ask` denies it',
    );
    expect(calls()).toBe('');
    expect(told(server)).toContain('A rule denies this call.');
  });

  it('asks about two calls of one message at once; the one that the agent lost is made again and runs once', async () => {
    write();
    const second = shell('push tags');
    const server = await site.serve([
      { ...shell('push main'), and: [second] },
      DONE,
      shell('push main'),
      { type: 'text', text: 'Both pushed.' },
    ]);
    const asked = await run(server);
    expect(asked.exitCode, asked.stderr).toBe(3);
    expect(Object.keys(site.workspace.state().waiting_for ?? {}).sort()).toEqual([
      'Ship/toolu_1',
      'Ship/toolu_1_2',
    ]);
    await approve('Ship/toolu_1', 'allow');
    await approve('Ship/toolu_1_2', 'allow');
    const resumed = await site.resume(server);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(calls()).toBe('push tags\npush main\n');
    expect(site.workspace.step('Ship')).toMatchObject({ outcome: 'done', output: 'Both pushed.' });
    expect(told(server)).toContain('allowed, not run yet: Bash');
  });

  it('the model learns that a lost call was denied, and a repetition of it does not run', async () => {
    write();
    const server = await site.serve([
      { ...shell('push main'), and: [shell('push tags')] },
      DONE,
      shell('push main'),
      DONE,
    ]);
    expect((await run(server)).exitCode).toBe(3);
    await approve('Ship/toolu_1', 'deny', '--comment', 'never main');
    await approve('Ship/toolu_1_2', 'allow');
    const resumed = await site.resume(server);
    expect(calls()).toBe('push tags\n');
    expect(told(server)).toContain('denied by a person (never main)');
    expect(resumed.stderr).toContain('the agent was denied `Bash`; a person refused it');
  });

  it('a kill between the answer and the call runs it once, without another question', async () => {
    write();
    // The second start of the agent is held before it runs the call.
    const gate = temporaryFolder();
    const hold = `n=$(ls ${gate} | wc -l); touch ${gate}/$n; [ $n != 1 ] || sleep 271`;
    const settings = { hooks: { SessionStart: [{ hooks: [{ type: 'command', command: hold }] }] } };
    const server = await site.serve([shell('push origin main'), DONE]);
    expect((await run(server, { settings })).exitCode).toBe(3);
    await approve('Ship/toolu_1', 'allow');
    const resuming = site.start(['resume', 'last'], server, { settings });
    await until(() => fs.readdirSync(gate).length === 2);
    resuming.child.kill('SIGKILL');
    await resuming.ended;
    const resumed = await site.run(['resume', 'last'], server, { settings });
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(calls()).toBe('push origin main\n');
    expect(site.events('question-asked')).toHaveLength(1);
  });

  it('a kill while the call runs asks again, since it may have run; it never runs twice unasked', async () => {
    write();
    const held = `${tools}/push main; while [ ! -e ${tools}/go ]; do sleep 0.02; done`;
    const server = await site.serve([cli.tools.shell(held), DONE]);
    expect((await run(server)).exitCode).toBe(3);
    await approve('Ship/toolu_1', 'allow');
    const resuming = site.start(['resume', 'last'], server);
    await until(() => calls() !== '');
    resuming.child.kill('SIGKILL');
    await resuming.ended;
    // The agent too: asked to end, it would record the result of the call.
    for (const pid of await site.leftRunning()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended with its parent.
      }
    }
    const again = await site.resume(server);
    expect(again.exitCode, again.stderr).toBe(3);
    expect(again.stderr).toContain('Ship/toolu_1-2: This call was allowed, and the run was stopped');
    expect(calls()).toBe('push main\n');
    await approve('Ship/toolu_1-2', 'deny', '--comment', 'it has run');
    await site.resume(server);
    expect(calls()).toBe('push main\n');
    expect(told(server)).toContain('They said: it has run');
  });

  it("the user's own hooks still fire, and their veto counts", async () => {
    write();
    const log = path.join(tools, 'user-hook');
    const veto = JSON.stringify({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
    });
    const hook = (command: string) => ({
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] },
    });
    const server = await site.serve([shell('push main'), DONE, shell('push main'), DONE]);
    expect((await run(server, { settings: hook(`echo fired >> ${log}`) })).exitCode).toBe(3);
    expect(fs.readFileSync(log, 'utf8')).toBe('fired\n');
    await approve('Ship/toolu_1', 'allow');
    const vetoed = await site.run(['resume', 'last'], server, { settings: hook(`echo '${veto}'`) });
    expect(vetoed.exitCode).toBe(1);
    expect(calls()).toBe('');
  });

  it('a subagent cannot wait: its call is refused, with the request to leave it to its caller', async () => {
    write();
    const agent = { description: 'd', prompt: 'Push it.', subagent_type: 'general-purpose' };
    const server = await site.serve([
      { type: 'tool', name: 'Task', input: agent },
      shell('push main'),
      { type: 'text', text: 'I need push main.' },
      shell('push main'),
      DONE,
    ]);
    const asked = await run(server);
    expect(asked.exitCode, asked.stderr).toBe(3);
    expect(Object.keys(site.workspace.state().waiting_for ?? {})).toEqual(['Ship/toolu_4']);
    const requests = server.requests.map(({ body }) => JSON.stringify(body)).join('\n');
    expect(requests).toContain('a subagent cannot wait for it');
    await approve('Ship/toolu_4', 'allow');
    expect((await site.resume(server)).exitCode).toBe(0);
    expect(calls()).toBe('push main\n');
  });

  it('does not start working if its hooks are off', async () => {
    write();
    const server = await site.serve([shell('push main'), DONE]);
    const ended = await run(server, { settings: { disableAllHooks: true } });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('its hooks are off, so `ask` cannot check its tool calls');
    expect(calls()).toBe('');
  });

  it('the turns of the step are those of all its processes together', async () => {
    write(', max_turns: 2');
    const server = await site.serve([shell('push main'), cli.tools.shell('true'), DONE]);
    expect((await run(server)).exitCode).toBe(3);
    await approve('Ship/toolu_1', 'allow');
    const ended = await site.resume(server);
    expect(ended.exitCode, ended.stderr).toBe(1);
    expect(site.workspace.step('Ship')).toMatchObject({ outcome: 'max-turns' });
    expect(calls()).toBe('push main\n');
  });

  it('a step that continues the conversation asks as well', async () => {
    write(
      '',
      `  - {name: Next, provider: claude, continue_from: Ship, prompt: And now., permissions: bypass, ${RULES}}\n`,
    );
    const server = await site.serve([DONE, shell('push main'), DONE]);
    expect((await run(server)).exitCode).toBe(3);
    await approve('Next/toolu_2', 'allow');
    expect((await site.resume(server)).exitCode).toBe(0);
    expect(calls()).toBe('push main\n');
  });

  it.skipIf(!HAS_BUBBLEWRAP)('works in a sandbox, at every level', async () => {
    write(
      ', sandbox: read-only',
      `  - {name: Next, provider: claude, prompt: More., permissions: bypass, sandbox: workspace-write, ${RULES}}\n`,
    );
    const variables = { CLAUDE_CODE_TMPDIR: '/tmp', PATH: `${tools}:${process.env['PATH']}` };
    const own = cli.tools.shell('push() { echo "$*"; }; push one');
    const server = await site.serve([own, DONE, own, DONE]);
    const asked = await run(server, { variables });
    expect(asked.exitCode, asked.stderr).toBe(3);
    await approve('Ship/toolu_1', 'allow');
    const next = await site.run(['resume', 'last'], server, { variables });
    expect(next.exitCode, next.stderr).toBe(3);
    await approve('Next/toolu_3', 'allow');
    const ended = await site.run(['resume', 'last'], server, { variables });
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(site.events('question-asked')).toHaveLength(2);
  });

  it('a recording has the answers: a replay asks nobody', async () => {
    write();
    const server = await site.serve([shell('push main'), DONE]);
    expect((await run(server, {}, '--record')).exitCode).toBe(3);
    await approve('Ship/toolu_1', 'allow');
    expect((await site.resume(server)).exitCode).toBe(0);
    const replayed = await site.run(['run', 'w.yaml', '--replay', 'last'], server);
    expect(replayed.exitCode, replayed.stderr).toBe(0);
    expect(site.workspace.step('Ship')).toMatchObject({ outcome: 'done', output: 'Done.' });
    expect(calls()).toBe('push main\n');
    expect(server.requests).toHaveLength(2);
  });
});
