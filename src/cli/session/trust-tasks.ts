/** Who has written the commands of a session's tasks: the user with this program, or somebody else. */
import type { JsonObject } from '../../model/json.ts';
import { claimsOf } from '../../session/claims.ts';
import { readTasks } from '../../session/document/read-tasks.ts';
import { readTask } from '../../session/document/task.ts';
import type { Session } from '../../session/sessions.ts';
import type { CliContext } from '../context.ts';
import type { TrustOption } from '../run-options.ts';
import { isAllowed, trustOwn } from '../trust/ask.ts';

/** Before tasks are executed. False: they must not be, and why has been said. */
export function mayExecute(context: CliContext, { paths }: Session, flags: TrustOption): Promise<boolean> {
  const open = readTasks(paths).filter(({ status }) => status !== 'completed' && status !== 'container');
  return isAllowed(context, { folder: context.workspace, claims: claimsOf(open, paths), flags });
}

/** Before tasks are added that the user has named: a kill in between leaves nothing to be asked about. */
export async function vouchForNew(
  context: CliContext,
  { paths }: Session,
  documents: readonly JsonObject[],
): Promise<void> {
  const there = readTasks(paths);
  const added = documents.flatMap((document) => readTask(document) ?? []);
  const [before, after] = [there, [...there, ...added]].map((tasks) => claimsOf(tasks, paths));
  await trustOwn(context, { folder: context.workspace, before: before ?? [], after: after ?? [] });
}

/** What the user adds by a command of ours is trusted, if all that was there is. */
export async function vouchFor<Value>(
  context: CliContext,
  { paths }: Session,
  change: () => Promise<Value>,
): Promise<Value> {
  const before = claimsOf(readTasks(paths), paths);
  const changed = await change();
  const after = claimsOf(readTasks(paths), paths);
  await trustOwn(context, { folder: context.workspace, before, after });
  return changed;
}
