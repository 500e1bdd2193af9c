/** The real Claude Code as a step on workers of their own: each with its own home, without the project's folder, its files from a hub. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { GitTeam, type GitWorker } from '../cluster/git-team.ts';
import { type RequestBody, startModelServer, type Turn } from '../rig/model-server/server.ts';
import { until } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { CLAUDE_325 as cli, MADE_UP_KEY } from './clis.ts';
import { installClis } from './install.ts';

const database = databaseForFile();

const WORKFLOW = `name: ask
providers:
  claude: {adapter: claude, worker: claude}
steps:
  - { name: Given, command: [sh, -c, 'echo given > given.txt'] }
  - { name: Write, provider: claude, permissions: bypass, prompt: Write the file., expect: { files: [made.txt] } }
  - { name: Read, command: [cat, made.txt] }
  - { name: Review, provider: claude, permissions: bypass, continue_from: Write, prompt: Now review it. }
`;

interface Site {
  readonly machines: GitTeam;
  /** A worker with Claude Code on its `PATH`, and a home of its own. */
  worker(name: string): Promise<GitWorker>;
}

async function siteWith(answer: (body: RequestBody) => Turn | Promise<Turn>): Promise<Site> {
  const server = await startModelServer(answer);
  onTestFinished(() => server.close());
  const bin = temporaryFolder();
  const words = cli.command().map((word) => `'${word}'`);
  fs.writeFileSync(path.join(bin, 'claude'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
  const machines = new GitTeam(await database.create(), { 'ask.yaml': WORKFLOW });
  await machines.worker('host', { flags: ['--labels', 'default'] });
  return {
    machines,
    worker: (name) => {
      const settled = cli.settle({ home: temporaryFolder(), url: server.url });
      const on = machines.machine({ ...settled, PATH: `${bin}:${process.env['PATH']}` });
      return machines.worker(name, { flags: ['--no-runs', '--labels', 'claude'], on });
    },
  };
}

/** How many results of tools the conversation has. */
function resultsIn(body: RequestBody): number {
  return JSON.stringify(body['messages']).split('"tool_result"').length - 1;
}

function write(body: RequestBody): Turn {
  if (JSON.stringify(body['messages']).includes('Now review it'))
    return { type: 'text', text: 'It is good.' };
  if (resultsIn(body) === 0) return cli.tools.shell('cat given.txt > made.txt; echo by claude >> made.txt');
  return { type: 'text', text: 'Written.' };
}

interface AgentOutput {
  readonly sessionId?: string;
  readonly spent?: { readonly costUsd: number | null; readonly unknownCalls?: number };
  readonly responseFile?: string;
  readonly answer?: string;
}

async function outputs(machines: GitTeam, runId: string): Promise<{ readonly [key: string]: AgentOutput }> {
  const events = await machines.events(runId);
  const ends = events.filter(({ type, effect }) => type === 'step-ended' && effect === 'run-agent');
  return Object.fromEntries(ends.map(({ key, output }) => [String(key), output as AgentOutput]));
}

describe(`Claude Code ${cli.version} on workers of their own`, { timeout: 240_000 }, () => {
  beforeAll(() => installClis(), 15 * 60_000);

  it('works on the files of the run, continues its conversation, and is shown with cost, session and transcript', async () => {
    const { machines, worker } = await siteWith(write);
    await worker('one');
    await worker('two');
    const run = await machines.run('run', 'ask.yaml', '--engine', '--trust', '--json');
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain('given\\nby claude\\n');
    const runId = await machines.onlyRun();
    const { Write, Review } = await outputs(machines, runId);
    expect(Write).toMatchObject({ answer: 'Written.', sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(Review).toMatchObject({ answer: 'It is good.', sessionId: Write?.sessionId });
    for (const each of [Write, Review]) expect(each?.spent?.costUsd).toBeGreaterThan(0);
    expect(machines.file(runId, 'made.txt')).toBe('given\nby claude\n');
    const shown = await machines.run('show', runId);
    expect(shown.stdout).toMatch(/Write {2,}.*\$\d/);
    // Its check may run on the other one.
    expect(shown.stdout).toMatch(/steps on host, (?:one|two|one, two)\n/);
    const asked = await machines.rows(
      `select distinct name from orchestrate.calls join orchestrate.workers using (executor) where key in ('Write', 'Review')`,
    );
    expect(asked).toHaveLength(1);
    expect(shown.stdout).not.toContain('new one');
    // The transcript is that of the worker, and has what it was sent.
    const logs = await machines.run('logs', runId, 'Write');
    expect(logs.stdout).toContain('Written.');
    const files = machines.atHub('ls-tree', '-r', '--name-only', `refs/orchestrate/${runId}/run/files`);
    expect(files).toContain(Write?.responseFile);
    const kept = machines.atHub('show', `refs/orchestrate/${runId}/run/files:${Write?.responseFile}`);
    expect(JSON.parse(kept)).toMatchObject({ outcome: 'done', session_id: Write?.sessionId });
    const rows = await machines.rows(
      'select request as text from orchestrate.calls union all select output from orchestrate.calls union all select line from orchestrate.events',
    );
    expect(JSON.stringify(rows)).not.toContain(MADE_UP_KEY);
  });

  it('is taken up by another one when its worker is killed in the middle; the run says what happened', async () => {
    let hung = 0;
    const { machines, worker } = await siteWith((body) => {
      if (resultsIn(body) === 1 && hung === 0) {
        hung += 1;
        return { type: 'hang', text: 'Nearly' };
      }
      return write(body);
    });
    const workers = [await worker('one'), await worker('two')];
    const started = machines.user.start('run', 'ask.yaml', '--engine', '--trust');
    await until(() => hung === 1);
    const row = await machines.untilRow(
      `select name from orchestrate.calls join orchestrate.workers using (executor) where key = 'Write'`,
    );
    const first = String(row['name']);
    const other = first === 'one' ? 'two' : 'one';
    workers.find(({ name }) => name === first)?.child.kill('SIGKILL');
    const run = await started.ended;
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    const runId = await machines.onlyRun();
    const { Write, Review } = await outputs(machines, runId);
    expect(Write).toMatchObject({ answer: 'Written.', spent: { unknownCalls: 1 } });
    expect(Review).toMatchObject({ answer: 'It is good.', sessionId: Write?.sessionId });
    expect(machines.file(runId, 'made.txt')).toBe('given\nby claude\n');
    const shown = await machines.run('show', runId);
    for (const text of [run.stderr, shown.stdout]) {
      expect(text).toContain(
        `worker \`${first}\` ended while this ran there; started again on worker \`${other}\``,
      );
      expect(text).toContain(
        `the agent's conversation was on worker \`${first}\`, which is gone: started a new one`,
      );
    }
  });
});
