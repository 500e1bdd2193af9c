/** A call on a worker that gets its files from a hub: it works in a checkout of its own, and what it changed is pushed with its logs. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { CallRow, Performed } from '../../engine/dbos/do-call.ts';
import { failedCall } from '../../engine/dbos/failed-call.ts';
import { sendFiles } from '../../git/hub/call-files.ts';
import { checkoutName, closeCheckout, openCheckout, saveCheckout } from '../../git/hub/checkout.ts';
import type { Clone } from '../../git/hub/clone.ts';
import { takeGiven } from '../../git/hub/given-files.ts';
import { placeBranches } from '../../git/hub/place-branches.ts';
import { filesIn } from '../../git/hub/run-folder.ts';
import type { Failure } from '../../model/failure.ts';
import type { RunId } from '../../model/ids.ts';
import type { EffectOutput } from '../../model/record.ts';
import { ok, type Result } from '../../model/result.ts';
import { runPaths } from '../../store/layout.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { asJson, type CallFiles } from './travelling.ts';

export interface TravellingCall {
  readonly row: CallRow;
  readonly files: CallFiles;
  /** This worker: each execution of a call has refs of its own. */
  readonly executor: string;
  readonly signal: AbortSignal;
  /** Runs `setup` in a folder, with its logs in the folder of the run. */
  setup(argv: readonly string[], at: CallPlaces): Promise<Result<void, Failure>>;
  perform(at: CallPlaces): Promise<EffectOutput>;
}

/** Absolute paths. */
export interface CallPlaces {
  readonly workspace: string;
  /** The run's own folder, with what this call writes there. */
  readonly directory: string;
}

/** Calls that continue the same conversation have the same checkout, one after the other. */
export async function performTravelling(clone: Clone, call: TravellingCall): Promise<Performed> {
  const { row, files } = call;
  const folder = join(
    clone.checkouts,
    files.checkout ?? checkoutName({ runId: row.run_id, call: files.call }),
  );
  const before = clone.inUse.get(folder) ?? Promise.resolve();
  const done = before.then(() => performIn(clone, folder, call));
  const settled = done.catch(() => {});
  clone.inUse.set(folder, settled);
  try {
    return await done;
  } finally {
    if (clone.inUse.get(folder) === settled) clone.inUse.delete(folder);
  }
}

async function performIn(clone: Clone, folder: string, call: TravellingCall): Promise<Performed> {
  const { row, files, executor, signal } = call;
  signal.throwIfAborted();
  const { prefix, setup, include, without = [] } = files;
  const hubCall = { runId: row.run_id, call: files.call, base: files.base };
  const workspace = join(folder, prefix);
  const { directory, logs } = runPaths(workspace, row.run_id as RunId);
  const setups = [setup, files.thenSetup].filter((each) => each !== undefined);
  const prepare =
    setups.length === 0
      ? {}
      : {
          setup: {
            key: JSON.stringify(setups),
            run: async (prepared: string) => {
              makeFolder(logs, 0o700);
              for (const argv of setups) {
                const done = await call.setup(argv, { workspace: prepared, directory });
                if (done.type === 'error') return done;
              }
              return ok(undefined);
            },
          },
        };
  const opened = await openCheckout(clone, { call: hubCall, folder, prefix, signal, ...prepare });
  try {
    if (opened.type === 'error') return { output: failedCall(opened.error) };
    makeFolder(logs, 0o700);
    const branches = await placeBranches(clone, row.run_id, files.branches ?? []);
    if (branches.type === 'error') return { output: failedCall(branches.error) };
    const given = files.isGiven === true ? await takeGiven(clone, hubCall, directory) : ok([]);
    if (given.type === 'error') return { output: failedCall(given.error) };
    const known = new Map(given.value.map((path) => [path, stampOf(directory, path)]));
    const execution = `${row.starts}.${executor}`;
    const send = async (): Promise<Result<unknown, Failure>> => {
      // Masked as they were written: no value that only this worker knows is in them.
      const paths = filesIn(directory, '').filter((path) => known.get(path) !== stampOf(directory, path));
      if (paths.length === 0) return ok(undefined);
      return sendFiles(clone, { call: hubCall, execution }, { folder: directory, paths });
    };
    const performed = call.perform({ workspace: opened.value.workspace, directory });
    const output = await performed.catch(async (problem: unknown) => {
      // It is cancelled: only its logs are left.
      await send();
      throw problem;
    });
    const sent = await send();
    if (sent.type === 'error') return { output: { ...output, ...failedCall(sent.error) } };
    const message = `Step ${files.call}`;
    const saved = await saveCheckout(clone, opened.value, { execution, message, include, without });
    if (saved.type === 'error') return { output: { ...output, ...failedCall(saved.error) } };
    return { output, freight: asJson(saved.value) };
  } finally {
    if (opened.type === 'ok') await closeCheckout(clone, opened.value);
  }
}

/** Differs when the file was written again. */
function stampOf(directory: string, path: string): string {
  const { ino, size, mtimeNs } = fs.lstatSync(join(directory, path), { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}
