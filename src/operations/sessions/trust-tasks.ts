/** Trust in the commands of a session's tasks: those the user added with this program need no question. */
import { defined } from '../../model/defined.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Result } from '../../model/result.ts';
import { readTasks } from '../../session/document/read-tasks.ts';
import { readTask } from '../../session/document/task.ts';
import { claimsOf } from '../../session/sessions/claims.ts';
import type { Session } from '../../session/sessions/sessions.ts';
import type { NotTrusted } from '../problem.ts';
import type { Site } from '../site.ts';
import { mayRun } from '../trust/may-run.ts';
import { trustOwn } from '../trust/trust-own.ts';
import { openSession } from './open-session.ts';

/** Checks trust before tasks are executed. */
export function mayExecute(site: Site, { paths }: Session): Result<void, NotTrusted> {
  const open = readTasks(paths).filter(({ status }) => status !== 'completed' && status !== 'container');
  return mayRun(site, site.workspace, claimsOf(open, paths));
}

/** Trusts the user's new tasks before they are added, so that a kill in between causes no question later. Returns what `trustOwn` does. */
export function vouchForNew(
  site: Site,
  { paths }: Session,
  documents: readonly JsonObject[],
): Promise<string | undefined> {
  const there = readTasks(paths);
  const added = documents.flatMap((document) => readTask(document) ?? []);
  return trustOwn(site, {
    folder: site.workspace,
    before: claimsOf(there, paths),
    after: claimsOf([...there, ...added], paths),
  });
}

export interface VouchedFor<Value> {
  readonly value: Value;
  /** Why the user will still be asked. */
  readonly problem?: string;
}

/** Like `vouchFor`, for a session given by name. */
export async function trustAdded<Value>(
  site: Site,
  name: string,
  change: () => Promise<Value>,
): Promise<VouchedFor<Value>> {
  const session = openSession(site, name);
  return session.type === 'ok' ? vouchFor(site, session.value, change) : { value: await change() };
}

/** Trusts what the user adds with this program, if everything already there is trusted. */
export async function vouchFor<Value>(
  site: Site,
  { paths }: Session,
  change: () => Promise<Value>,
): Promise<VouchedFor<Value>> {
  const before = claimsOf(readTasks(paths), paths);
  const value = await change();
  const after = claimsOf(readTasks(paths), paths);
  const problem = await trustOwn(site, { folder: site.workspace, before, after });
  return { value, ...defined({ problem }) };
}
