/** Conversations of agents stay on the machine that had them: a step that continues one goes there while its worker lives, else it says so. */
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { GitTeam, type GitWorker, type Machine } from './git-team.ts';

const database = databaseForFile();

/**
 * Like Claude Code, it keeps conversations in the home of its user, by the folder it runs in, and answers with what was said. A prompt with
 * `hold` waits for the file `go`; one with `overload` is refused once.
 */
function fakeClaude(outside: string): string {
  const folder = temporaryFolder();
  const script = `#!/bin/bash
prompt=$(cat)
id=
for argument in "$@"; do case $argument in --resume=*) id=\${argument#--resume=} ;; esac; done
store=$HOME/conversations/$(pwd | tr / -)
if [ -n "$id" ] && [ ! -e "$store/$id" ]; then
  echo '{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"errors":["No conversation found"]}'
  exit 1
fi
mkdir -p "$store"
[ -n "$id" ] || id=$(cat /proc/sys/kernel/random/uuid)
printf '%s|' "$prompt" | tr '\\n' ' ' >> "$store/$id"
echo '{"type":"system","subtype":"init","session_id":"'$id'","model":"m"}'
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"working"}]}}'
if [[ $prompt == *overload* ]] && [ ! -e ${outside}/overloaded ]; then
  touch ${outside}/overloaded
  echo '{"type":"result","subtype":"success","is_error":true,"result":"no","api_error_status":529}'
  exit 1
fi
if [[ $prompt == *hold* ]]; then
  echo x >> ${outside}/starts
  while [ ! -e ${outside}/go ]; do sleep 0.05; done
fi
echo '{"type":"result","subtype":"success","is_error":false,"result":"'"$(cat "$store/$id")"'","total_cost_usd":0.25}'
`;
  fs.writeFileSync(join(folder, 'claude'), script, { mode: 0o755 });
  return folder;
}

interface Conversing {
  readonly machines: GitTeam;
  readonly outside: string;
  /** Hosts runs only. */
  readonly host: GitWorker;
  starts(): number;
  go(): void;
  /** A worker that only carries out steps. */
  worker(name: string, on?: Machine): Promise<GitWorker>;
}

async function conversing(workflow: string): Promise<Conversing> {
  const outside = temporaryFolder();
  const machines = new GitTeam(await database.create(), { 'talk.yaml': workflow });
  const path = `${fakeClaude(outside)}:${process.env['PATH']}`;
  const host = await machines.worker('host', { flags: ['--labels', 'other'] });
  return {
    machines,
    outside,
    host,
    starts: () =>
      fs.existsSync(join(outside, 'starts'))
        ? fs.readFileSync(join(outside, 'starts'), 'utf8').length / 2
        : 0,
    go: () => fs.writeFileSync(join(outside, 'go'), ''),
    worker: (name, on = machines.machine({ PATH: path })) =>
      machines.worker(name, { flags: ['--no-runs'], on }),
  };
}

async function answers(machines: GitTeam, runId: string): Promise<{ readonly [key: string]: unknown }> {
  const ends = (await machines.events(runId)).filter(
    ({ type, effect }) => type === 'step-ended' && effect === 'run-agent',
  );
  return Object.fromEntries(
    ends.map(({ key, output }) => [String(key), (output as { readonly output?: string }).output]),
  );
}

async function workersOf(machines: GitTeam): Promise<{ readonly [key: string]: unknown }> {
  const rows = await machines.rows(
    'select key, name from orchestrate.calls join orchestrate.workers using (executor) order by calls.created_at',
  );
  return Object.fromEntries(rows.map(({ key, name }) => [String(key), name]));
}

const TALK = `name: talk
steps:
  - { name: First, provider: claude, prompt: one }
  - { name: Pause, command: [touch, pause.txt] }
  - { name: Second, provider: claude, prompt: two, continue_from: First }
  - { name: Third, provider: claude, prompt: three, continue_from: Second }
`;

describe('a step that continues a conversation', () => {
  it('goes to the worker that has it, and finds it in the folder where it began', async () => {
    const { machines, worker } = await conversing(TALK);
    await worker('one');
    await worker('two');
    await worker('three');
    const run = await machines.run('run', 'talk.yaml', '--engine', '--trust');
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    const runId = await machines.onlyRun();
    expect(await answers(machines, runId)).toEqual({
      ...{ First: 'one|', Second: 'one|two|', Third: 'one|two|three|' },
    });
    const { First, Second, Third } = await workersOf(machines);
    expect([Second, Third]).toEqual([First, First]);
    expect(run.stderr).not.toContain('new one');
  }, 120_000);

  it('starts a new one if that worker is gone, also if it waited for it, and says so everywhere', async () => {
    const { machines, worker } = await conversing(`name: talk
steps:
  - { name: First, provider: claude, prompt: one }
  - name: Hold
    worker: other
    command: [sh, -c, 'touch "$1"/held; while [ ! -e "$1"/released ]; do sleep 0.05; done', sh, "\${context.outside}"]
  - { name: Second, provider: claude, prompt: two, continue_from: First }
context: { outside: '' }
`);
    const one = await worker('one');
    const outside = temporaryFolder();
    const started = machines.user.start(
      ...['run', 'talk.yaml', '--engine', '--trust', '--context', `outside=${outside}`],
    );
    await until(() => fs.existsSync(join(outside, 'held')));
    one.child.kill('SIGKILL');
    await worker('two');
    // It still counts as living: the step waits for it at first.
    fs.writeFileSync(join(outside, 'released'), '');
    const run = await started.ended;
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    const runId = await machines.onlyRun();
    expect(await answers(machines, runId)).toEqual({ First: 'one|', Second: 'two|' });
    const words = "the agent's conversation was on worker `one`, which is gone: started a new one";
    expect(run.stderr).toContain(`Second  ${words}`);
    const shown = await machines.run('show', runId);
    expect(shown.stdout).toContain(`→ ${words}`);
    expect((await machines.run('explain', runId, 'Second')).stdout).toContain(words);
    const notes = (await machines.events(runId)).flatMap(({ key, output }) => {
      const { note } = (output ?? {}) as { readonly note?: { readonly message?: string } };
      return String(key).startsWith('Second@') ? [note?.message] : [];
    });
    expect(notes).toContain(words);
  }, 120_000);
});

describe('an agent that is interrupted', () => {
  it('by an overloaded model continues on the same worker', async () => {
    const { machines, worker } = await conversing(
      'name: talk\nsteps: [{ name: Ask, provider: claude, prompt: overload, retries: { max: 1, delay_ms: 1 } }]\n',
    );
    await worker('one');
    await worker('two');
    await worker('three');
    const runId = await machines.detached('talk.yaml');
    expect(await machines.ended(runId)).toBe('completed');
    expect((await answers(machines, runId))['Ask']).toMatch(/^overload\|You were interrupted.*\|$/);
    const rows = await machines.rows(
      'select distinct name from orchestrate.calls join orchestrate.workers using (executor)',
    );
    expect(rows).toHaveLength(1);
  }, 120_000);

  it('by the death of its worker starts again on another, which says so; what the lost start cost is unknown', async () => {
    const { machines, worker, starts, go } = await conversing(
      'name: talk\nsteps: [{ name: Ask, provider: claude, prompt: hold }]\n',
    );
    const workers = [await worker('one'), await worker('two')];
    const runId = await machines.detached('talk.yaml');
    await until(() => starts() === 1);
    const first = String((await workersOf(machines))['Ask']);
    const other = first === 'one' ? 'two' : 'one';
    workers.find(({ name }) => name === first)?.child.kill('SIGKILL');
    await until(() => starts() === 2);
    go();
    expect(await machines.ended(runId)).toBe('completed');
    expect(await answers(machines, runId)).toEqual({ Ask: 'hold|' });
    const { stdout } = await machines.run('show', runId);
    expect(stdout).toContain(
      `→ worker \`${first}\` ended while this ran there; started again on worker \`${other}\``,
    );
    expect(stdout).toContain(
      `→ the agent's conversation was on worker \`${first}\`, which is gone: started a new one`,
    );
    expect(stdout).toMatch(/✓ Ask .*\$0\.25.* \+ 1 call of unknown cost/);
    expect(stdout).toContain('  $0.2500 + 1 call of unknown cost, 2 agent calls, ');
  }, 120_000);
});

describe('an agent that outlives the host of its run', () => {
  it('is not started again, and its cost is counted once', async () => {
    const { machines, host, worker, starts, go } = await conversing(
      'name: talk\nsteps: [{ name: Ask, provider: claude, prompt: hold }]\n',
    );
    const other = await machines.worker('other', { flags: ['--labels', 'other'] });
    await worker('one');
    const runId = await machines.detached('talk.yaml');
    await until(() => starts() === 1);
    const first = await machines.hostOf(runId);
    [host, other].find(({ name }) => name === first)?.child.kill('SIGKILL');
    await machines.untilRow(
      `select from orchestrate.runs join orchestrate.workers on executor = host where run_id = '${runId}' and name <> '${first}'`,
    );
    go();
    expect(await machines.ended(runId)).toBe('completed');
    expect(starts()).toBe(1);
    const { stdout } = await machines.run('show', runId);
    expect(stdout).toContain('  $0.2500, 1 agent call, ');
    expect(stdout).not.toContain('unknown cost');
  }, 120_000);
});
