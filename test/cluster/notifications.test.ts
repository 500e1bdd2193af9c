/** Runs of workers notify as local ones do: their host sends the messages, to addresses that are in no row. */
import { describe, expect, it } from 'vitest';
import { type HttpTarget, startHttpTarget } from '../notify/http-target.ts';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { GitTeam } from './git-team.ts';
import { Team } from './team.ts';

const database = databaseForFile();

function workflow(notify: string): string {
  return `name: ship
notify: ${notify}
steps:
  - name: Release
    approve: { message: "Ship it?", choices: [yes, no] }
  - { name: Publish, command: [echo, published] }
`;
}

function eventsOf(target: HttpTarget): readonly string[] {
  return target.received.map(({ body }) => (JSON.parse(body) as { readonly event: string }).event);
}

describe('the `notify` of a workflow file', () => {
  it('is used by the host, which reads it from the file: no row has the address', async () => {
    const target = await startHttpTarget();
    const machines = new Team(await database.create(), {
      'ship.yaml': workflow(`{ url: "${target.url}/T0/B0/credential", format: json }`),
    });
    await machines.worker('one');
    const runId = await machines.carriedOut('ship.yaml');
    expect(eventsOf(target)).toEqual(['waiting']);
    expect(await machines.run('approve', runId, 'Release', '--choose', 'yes')).toMatchObject({ exitCode: 0 });
    await machines.untilState(runId, ['ended']);
    expect(eventsOf(target)).toEqual(['waiting', 'completed']);
    expect(target.received[0]).toMatchObject({ path: '/topic/T0/B0/credential' });
    const rows = await machines.rows(
      `select plan as text from orchestrate.runs union all select line from orchestrate.events
       union all select coalesce(inputs, '') from dbos.workflow_status`,
    );
    expect(rows.length).toBeGreaterThan(5);
    expect(JSON.stringify(rows)).not.toContain('credential');
  }, 60_000);

  it('is that of the files of the run with a hub; an address may be in a variable of the host', async () => {
    const [named, inVariable] = [await startHttpTarget(), await startHttpTarget()];
    const machines = new GitTeam(await database.create(), {
      'ship.yaml': workflow(
        `[{ url: "${named.url}", format: json }, { url_env: SHIP_HOOK, format: json, events: [completed] }]`,
      ),
    });
    await machines.worker('one', { on: machines.machine({ SHIP_HOOK: inVariable.url }) });
    const runId = await machines.detached('ship.yaml');
    expect(await machines.ended(runId)).toBe('waiting');
    expect(await machines.run('approve', runId, 'Release', '--choose', 'yes')).toMatchObject({ exitCode: 0 });
    await machines.untilRow(
      `select from orchestrate.runs where run_id = '${runId}' and status = 'completed'`,
    );
    expect(eventsOf(named)).toEqual(['waiting', 'completed']);
    expect(eventsOf(inVariable)).toEqual(['completed']);
  }, 60_000);
});
