/** Many processes that reach the same point at the same moment. */
import fs from 'node:fs';
import path from 'node:path';
import type { Ended, Started } from '../program.ts';
import { type CallOptions, type Site, until } from '../site/site.ts';

export interface AtOnce {
  /** The arguments of each process, by its number. */
  argv(number: number): readonly string[];
  readonly count: number;
  /** The end of the file name that all of them create, such as a lock. */
  readonly lock: string;
  stdin?(number: number): string;
  /** After how many disk operations this process is killed. */
  dieAfter?(number: number): number | undefined;
  /** Called when all of them are ready. */
  beforeOpening?(): Promise<void> | void;
}

/** Starts them, waits until each is about to take the lock, and releases all at once. */
export async function startAtOnce(site: Site, given: AtOnce): Promise<readonly Started[]> {
  const ready = fs.mkdtempSync(path.join(site.trial.folder(), 'ready-'));
  const gate = path.join(ready, 'open');
  const shim = path.join(site.trial.root, 'proof', 'rig', 'gate-at.cjs');
  const started = Array.from({ length: given.count }, (_, number) => {
    const dieAfter = given.dieAfter?.(number);
    const order = {
      kind: 'link',
      file: given.lock,
      gate,
      ready,
      ...(dieAfter === undefined ? {} : { dieAfter }),
    };
    const stdin = given.stdin?.(number);
    const options: CallOptions = {
      env: { NODE_OPTIONS: `--require=${shim}`, GATE_AT: JSON.stringify(order) },
      ...(stdin === undefined ? {} : { stdin }),
    };
    return site.start(given.argv(number), options);
  });
  let ended = 0;
  for (const one of started) void one.ended.then(() => (ended += 1));
  await until(site.trial, 'all to be ready', () => fs.readdirSync(ready).length + ended >= given.count);
  await given.beforeOpening?.();
  fs.writeFileSync(gate, '');
  return started;
}

export async function allEnded(started: readonly Started[]): Promise<readonly Ended[]> {
  return Promise.all(started.map(({ ended }) => ended));
}
