/** Who has written the commands of a session's tasks: the user with this program, or somebody else. */
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

/** Before tasks are executed. */
export function mayExecute(site: Site, { paths }: Session): Result<void, NotTrusted> {
  const open = readTasks(paths).filter(({ status }) => status !== 'completed' && status !== 'container');
  return mayRun(site, site.workspace, claimsOf(open, paths));
}

/** Before tasks are added that the user has named: a kill in between leaves nothing to be asked about. Answers as `trustOwn`. */
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
  /** Why the user will be asked about it all the same. */
  readonly problem?: string;
}

/** The same for a session by its name. */
export async function trustAdded<Value>(
  site: Site,
  name: string,
  change: () => Promise<Value>,
): Promise<VouchedFor<Value>> {
  const session = openSession(site, name);
  return session.type === 'ok' ? vouchFor(site, session.value, change) : { value: await change() };
}

/** What the user adds by a command of ours is trusted, if all that was there is. */
export async function vouchFor<Value>(
  site: Site,
  { paths }: Session,
  change: () => Promise<Value>,
): Promise<VouchedFor<Value>> {
  const before = claimsOf(readTasks(paths), paths);
  const value = await change();
  const after = claimsOf(readTasks(paths), paths);
  const problem = await trustOwn(site, { folder: site.workspace, before, after });
  return { value, ...(problem === undefined ? {} : { problem }) };
}
