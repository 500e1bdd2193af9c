import pg from 'pg';
import { expect, it } from 'vitest';
import { Listener, type ListeningClient } from '../../../src/engine/dbos/listener.ts';
import { until } from '../../rig/orchestrate.ts';
import { databaseForFile } from '../../rig/postgres/for-file.ts';
import { query } from '../../rig/postgres/server.ts';
import { SilentProxy } from '../../rig/postgres/silent-proxy.ts';

const database = databaseForFile();

it('a server that takes connections and does not answer is tried again, and heard when it answers', async () => {
  const proxy = await SilentProxy.to(database.url);
  const listener = new Listener(
    () =>
      new pg.Client({
        connectionString: proxy.url,
        connectionTimeoutMillis: 200,
      }) as unknown as ListeningClient,
  );
  const heard: string[] = [];
  listener.subscribe((topic, id) => heard.push(`${topic} ${id}`));
  await listener.open();
  const untilHeard = async (id: string): Promise<void> => {
    while (!heard.includes(`run ${id}`))
      await query(database.url, `select pg_notify('orchestrate', 'run ${id}')`);
  };
  await untilHeard('before');
  proxy.silence();
  await until(() => proxy.givenUp >= 2);
  proxy.answer();
  await untilHeard('after');
  expect([...new Set(heard)]).toEqual(['run before', 'run after']);
  await listener.close();
});
