/**
 * One PostgreSQL server for all test files of a run. It belongs to the process that all workers have in common: started when the first file asks for it,
 * it ends with the run, however workers end.
 */
import { once } from 'node:events';
import net from 'node:net';
import type { PostgresServer } from './server.ts';

/** The port at which Vitest's own process is asked for the server. */
const PORT_VARIABLE = 'ORCHESTRATE_TEST_POSTGRES_PORT';

/** Loaded once, before the first test file. */
export default async function setUp(): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const door = net.createServer((connection) => {
    connection.on('error', () => {});
    server ??= start();
    server.then(
      (running) => connection.end(JSON.stringify({ url: running.url() })),
      (cause) => connection.end(JSON.stringify({ problem: String(cause) })),
    );
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  process.env[PORT_VARIABLE] = String((door.address() as net.AddressInfo).port);
  return async () => {
    door.close();
    await (await server?.catch(() => undefined))?.remove();
  };
}

async function start(): Promise<PostgresServer> {
  const [{ findPrograms }, { PostgresServer }] = await Promise.all([
    import('./programs.ts'),
    import('./server.ts'),
  ]);
  return PostgresServer.create(await findPrograms());
}

/** The address of its database `postgres`. */
export async function serverOfRun(): Promise<string> {
  const connection = net.connect(Number(process.env[PORT_VARIABLE]), '127.0.0.1');
  let answer = '';
  connection.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  await once(connection, 'end');
  const { url, problem } = JSON.parse(answer) as { readonly url?: string; readonly problem?: string };
  if (url === undefined) throw new Error(problem);
  return url;
}
