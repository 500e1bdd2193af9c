/** What `setup` prepares for the calls of a worker, if one of them is cancelled meanwhile. */
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCheckout } from '../../src/git/hub/checkout.ts';
import { RunHead } from '../../src/git/hub/run-head.ts';
import { ok } from '../../src/model/result.ts';
import { until } from '../rig/orchestrate.ts';
import { writeFiles } from '../rig/temporary-folder.ts';
import { cloneOf, makeCheckout, makeHub, must, RUN, SIGNAL, start } from './hub-site.ts';

it('`setup` that was cancelled with its call runs again for the calls that wait for it, and for later ones', async () => {
  const hub = makeHub();
  must(await start(makeCheckout({ 'a.txt': 'a\n' }), hub));
  const head = must(await RunHead.open(await cloneOf(hub), RUN));
  const worker = await cloneOf(hub);
  const cancelled = new AbortController();
  let runs = 0;
  const { signal } = cancelled;
  const setup = {
    key: 'make',
    run: async (workspace: string) => {
      runs += 1;
      if (runs === 1) {
        await once(signal, 'abort');
        throw signal.reason;
      }
      writeFiles(workspace, { 'node_modules/m/index.js': 'm\n' });
      return ok(undefined);
    },
  };
  const calls = await Promise.all(['One~1', 'Two~1', 'Three~1'].map((name) => head.offer(name)));
  const [first, second, third] = calls.map(must).map(
    (call) =>
      (own = SIGNAL) =>
        openCheckout(worker, { call, prefix: '', setup, signal: own }),
  );
  if (first === undefined || second === undefined || third === undefined) throw new Error('no calls');
  const cancelledOne = first(signal);
  await until(() => runs === 1);
  const waiting = second();
  await until(() => [...worker.prepared.values()].some(({ users }) => users === 2));
  cancelled.abort({ type: 'cancelled' });
  await expect(cancelledOne).rejects.toEqual({ type: 'cancelled' });
  for (const checkout of [await waiting, await third()])
    expect(fs.existsSync(join(must(checkout).workspace, 'node_modules/m/index.js'))).toBe(true);
  expect(runs).toBe(2);
});
