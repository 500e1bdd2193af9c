import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { countOf, Workspace } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { Elsewhere, Team } from './team.ts';

const database = databaseForFile();

const ASKS = `name: asks
steps:
  - name: List
    command: [printf, 'a\\nb\\n']
    output_capture: lines
  - name: Each
    for_each:
      items_from: steps.List.lines
      as: item
      steps:
        - name: Say
          command: [sh, -c, 'echo said $1', sh, "\${item}"]
  - name: Release
    approve:
      message: Release?
      choices: [ship, hold]
  - name: Publish
    command: [sh, -c, 'echo x >> published']
`;

async function teamWith(files: { readonly [path: string]: string }): Promise<Team> {
  return new Team(await database.create(), files);
}

describe('a run of workers, in a folder that has nothing of it', () => {
  it('is listed, shown, reported and explained as in its workspace, and nothing is written here', async () => {
    const team = await teamWith({ 'asks.yaml': ASKS });
    await team.worker('one');
    const runId = await team.carriedOut('asks.yaml');
    const elsewhere = new Elsewhere(team);
    for (const argv of [
      ['show', runId],
      ['show', 'last', '--json'],
      ['explain', runId],
      ['report', runId.slice(0, -2), '--format', 'json'],
      ['runs', '--json'],
    ]) {
      const [here, there] = [await team.run(...argv), await elsewhere.run(...argv)];
      expect(there, argv.join(' ')).toEqual(here);
      expect(there).toMatchObject({ exitCode: 0, stderr: '' });
    }
    expect(elsewhere.workspace.list('.')).toEqual([]);
    const copies = path.join(elsewhere.cache, 'orchestrate', 'runs');
    expect(fs.statSync(copies).mode & 0o077).toBe(0);
  });

  it('is answered, resumed, forked and cancelled from there', async () => {
    const team = await teamWith({ 'asks.yaml': ASKS });
    await team.worker('one');
    const runId = await team.carriedOut('asks.yaml');
    const elsewhere = new Elsewhere(team);
    elsewhere.workspace.write({ 'asks.yaml': ASKS });
    const asking = (await elsewhere.run('show', runId)).stdout;
    expect(asking).toContain('Release asks: Release?');
    expect(asking).not.toContain('to continue');
    const wrong = await elsewhere.run('approve', runId, 'Release', '--choose', 'maybe');
    expect(wrong).toMatchObject({ exitCode: 2 });
    const answered = await elsewhere.run('approve', runId, 'Release', '--choose', 'ship');
    expect(answered).toMatchObject({ exitCode: 0 });
    expect(answered.stderr).toContain('Recorded `ship` for `Release`. The run continues.');
    await team.untilState(runId, ['ended']);
    // Only what came since is copied.
    expect((await elsewhere.run('show', runId)).stdout).toContain('Publish');
    const again = await elsewhere.run('resume', runId);
    expect(again.stderr).toBe(`run \`${runId}\` is already completed: nothing to do\n`);
    const forked = await elsewhere.run('fork', runId, '--from', 'Release', '--detach');
    expect(forked).toMatchObject({ exitCode: 0 });
    const fork = forked.stdout.trim();
    await team.untilState(fork, ['waiting']);
    const cancelled = await elsewhere.run('cancel', fork);
    expect(cancelled.stderr).toBe(`run \`${fork}\`: asked its worker to cancel it\n`);
    await team.untilState(fork, ['ended']);
    expect((await elsewhere.run('runs')).stdout).toContain('cancelled');
    expect(await elsewhere.run('resume', fork)).toMatchObject({
      exitCode: 2,
      stderr: `error: run \`${fork}\` was cancelled\nhelp: \`orchestrate resume ${fork} --force-restart\` starts a new run\n`,
    });
    expect(countOf(team.workspace, 'published')).toBe(1);
  });
});

describe('a copy of a run that is behind the rows', () => {
  it('is not what is shown: the rows are', async () => {
    const team = await teamWith({ 'asks.yaml': ASKS });
    await team.worker('one');
    const runId = await team.carriedOut('asks.yaml');
    const before = await team.run('show', runId);
    const journal = `.orchestrate/runs/${runId}/journal.jsonl`;
    const lines = team.workspace.read(journal).split('\n');
    team.workspace.write({ [journal]: `${lines.slice(0, 6).join('\n')}\n` });
    expect(await team.run('show', runId)).toEqual(before);
    // Logs are those of the folder.
    expect((await team.run('logs', runId, 'Each/0/Say')).stdout).toBe('said a\n');
  });
});

describe('a database that is out of reach', () => {
  it('is noted where its runs are missed, and nowhere else', async () => {
    const workspace = new Workspace({ 'one.yaml': 'name: one\nsteps:\n  - {name: A, command: [echo, a]}\n' });
    expect(await workspace.run(['run', 'one.yaml', '--quiet'])).toMatchObject({ exitCode: 0 });
    const [runId = ''] = workspace.runs();
    const env = { ORCHESTRATE_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' };
    const shown = await workspace.run(['show', runId], { env });
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
    const listed = await workspace.run(['runs'], { env });
    expect(listed.stdout).toContain(runId);
    expect(listed.stderr).toMatch(
      /^note: runs of workers are not shown: cannot use the database of ORCHESTRATE_DATABASE_URL: .*ECONNREFUSED/,
    );
  });
});
