/** What steps do on workers is seen while they do it. */
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { until } from '../rig/orchestrate.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { Team } from './team.ts';

const database = databaseForFile();

/** `Held` ends when the file `go` appears. */
const HELD = `name: held
steps:
  - name: Held
    command: [sh, -c, 'echo first line; echo on stderr >&2; while [ ! -e go ]; do sleep 0.05; done; echo last line']
  - name: Floods
    command: [sh, -c, 'i=0; while [ $i -lt 3000 ]; do echo "$i äöü \\\\ \\" and more of it"; i=$((i + 1)); done']
`;

async function team(files: { readonly [path: string]: string }): Promise<Team> {
  return new Team(await database.create(), files);
}

describe('orchestrate run --engine', () => {
  it('shows with --verbose what a step prints before it ends; the log has all of it', async () => {
    const machines = await team({ 'held.yaml': HELD });
    await machines.worker('one', '--no-runs');
    await machines.worker('two', '--labels', 'other');
    const following = machines.start(['run', 'held.yaml', '--engine', '--verbose']);
    let shown = '';
    following.child.stderr?.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
    });
    await until(() => shown.includes('Held │ first line') && shown.includes('Held │ on stderr'));
    expect(shown.indexOf('▶ Held')).toBeLessThan(shown.indexOf('Held │ first line'));
    expect(machines.workspace.has('go')).toBe(false);
    machines.workspace.write({ go: '' });
    const ended = await following.ended;
    expect(ended.exitCode, ended.stderr).toBe(0);
    // A part of much output at once is left out, and no line is made of two.
    const lines = ended.stderr.split('\n').filter((line) => line.includes('Floods │ '));
    for (const line of lines) expect(line.split('äöü').length, line).toBeLessThanOrEqual(2);
    const log = machines.workspace.read(
      `.orchestrate/runs/${machines.workspace.runs()[0]}/logs/Floods.stdout`,
    );
    expect(log.trimEnd().split('\n')).toHaveLength(3000);
  }, 60_000);

  it.each([
    { flags: ['--detach'], announced: 0 },
    { flags: ['--quiet'], announced: 0 },
    { flags: ['--verbose'], announced: 1 },
  ])(
    '$flags: workers announce what steps print only if it is shown',
    async ({ flags, announced }) => {
      const machines = await team({ 'held.yaml': HELD.slice(0, HELD.indexOf('  - name: Floods')) });
      await machines.worker('one');
      const running = machines.start(['run', 'held.yaml', '--engine', ...flags]);
      const { run_id: runId } = await machines.untilRow(
        `select run_id from orchestrate.calls where executor is not null`,
      );
      const client = new pg.Client({ connectionString: machines.url });
      const said: string[] = [];
      client.on('notification', ({ payload = '' }) => said.push(payload));
      await client.connect();
      await client.query(`listen "orchestrate/${String(runId)}"`);
      machines.workspace.write({ go: '' });
      await machines.untilState(String(runId), ['ended']);
      await running.ended;
      // What was announced before is delivered with the answer.
      await client.query('select');
      await client.end();
      expect(said.filter((text) => text.includes('last line'))).toHaveLength(announced);
    },
    60_000,
  );
});
