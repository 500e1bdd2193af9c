/** Networks of their own for a database and some workers: each worker has one line to the database, which can be disconnected. For root on Linux. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';

export interface Networks {
  /** The file of the namespace, for `nsenter`. */
  readonly ofDatabase: string;
  ofWorker(index: number): { readonly file: string; readonly database: string };
  disconnect(index: number): void;
  reconnect(index: number): void;
  remove(): void;
}

export function createNetworks(workers: number): Networks {
  const prefix = `orchestrate-${randomBytes(4).toString('hex')}`;
  const database = `${prefix}-db`;
  const worker = (index: number): string => `${prefix}-w${index}`;
  const ip = (...args: readonly string[]): void =>
    void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const names = [database, ...Array.from({ length: workers }, (_, index) => worker(index))];
  const remove = (): void => {
    for (const name of names) {
      try {
        ip('netns', 'delete', name);
      } catch {
        // It was not created.
      }
    }
  };
  try {
    for (const name of names) {
      ip('netns', 'add', name);
      ip('-n', name, 'link', 'set', 'lo', 'up');
    }
    for (let index = 0; index < workers; index += 1) {
      const line = `line${index}`;
      ip('-n', database, 'link', 'add', line, 'type', 'veth', 'peer', 'name', 'up0', 'netns', worker(index));
      ip('-n', database, 'address', 'add', `10.213.${index}.1/30`, 'dev', line);
      ip('-n', worker(index), 'address', 'add', `10.213.${index}.2/30`, 'dev', 'up0');
      ip('-n', database, 'link', 'set', line, 'up');
      ip('-n', worker(index), 'link', 'set', 'up0', 'up');
    }
  } catch (problem) {
    remove();
    throw problem;
  }
  return {
    ofDatabase: `/run/netns/${database}`,
    ofWorker: (index) => ({ file: `/run/netns/${worker(index)}`, database: `10.213.${index}.1` }),
    disconnect: (index) => ip('-n', database, 'link', 'set', `line${index}`, 'down'),
    reconnect: (index) => ip('-n', database, 'link', 'set', `line${index}`, 'up'),
    remove,
  };
}
