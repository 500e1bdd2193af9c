/** A result that the database refuses, not because it is out of reach. */
import { expect, it } from 'vitest';
import { databaseForFile } from '../rig/postgres/for-file.ts';
import { Team } from './team.ts';

const database = databaseForFile();

it('a step whose result the database refuses fails and says so, and its run does not wait for ever', async () => {
  const team = new Team(database.url, {
    'refused.yaml': 'name: refused\nsteps:\n  - { name: Say, command: [echo, forbidden words] }\n',
  });
  const worker = await team.worker('one');
  await team.rows(`create function orchestrate.refuse() returns trigger language plpgsql as
    $$ begin if new.output like '%forbidden words%' then raise exception 'these words are refused'; end if; return new; end $$`);
  await team.rows(
    'create trigger refuse before update on orchestrate.calls for each row execute function orchestrate.refuse()',
  );
  const run = await team.run('run', 'refused.yaml', '--engine');
  expect(run.exitCode).not.toBe(0);
  expect(`${run.stdout}${run.stderr}`).toContain(
    'the database does not accept the result of this step: these words are refused',
  );
  expect(worker.child.exitCode).toBe(null);
});
