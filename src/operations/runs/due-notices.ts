/** Notifications of a run that a kill interrupted. Its process records them (`host/notices/notice-record.ts`). */
import fs from 'node:fs';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../model/json.ts';
import type { NotifyChannel } from '../../model/notify.ts';
import { ok, type Result } from '../../model/result.ts';
import type { RunPaths } from '../../store/layout.ts';
import { heldBy } from '../../store/lock.ts';
import { readPlainText } from '../../store/plain-file.ts';
import { loadNotify } from '../../workflow/load/load-file.ts';
import type { Problem } from '../problem.ts';
import type { Prepared, RunKind } from '../run-plan.ts';
import type { Site } from '../site.ts';
import { type RunHead, readRunHeadInSlices } from './run-head.ts';

export interface DueNotice {
  /** As it was to be sent. */
  readonly message: JsonObject;
  /** The channels that it has not been sent to. */
  readonly open: ReadonlySet<string>;
}

/** By the id of the message; those that were sent to all channels too. */
export function readDueNotices({ notices }: RunPaths): ReadonlyMap<string, DueNotice> {
  const found = new Map<string, { readonly message: JsonObject; readonly open: Set<string> }>();
  for (const line of textOf(notices).split('\n')) {
    const { due, settled, to, message } = parseJsonObject(line) ?? {};
    if (typeof due === 'string' && Array.isArray(to) && isJsonObject(message))
      found.set(due, { message, open: new Set(to.map(String)) });
    if (typeof settled === 'string') found.get(settled)?.open.delete(String(to));
  }
  return found;
}

/** False while a process is sending them. */
export function hasDueNotices(paths: RunPaths): boolean {
  if (!fs.existsSync(paths.notices) || heldBy(paths.noticesLock) !== undefined) return false;
  return [...readDueNotices(paths).values()].some(({ open }) => open.size > 0);
}

/** Plans a process that sends them and does nothing else. */
export async function prepareDueNotices(site: Site, asked: string): Promise<Result<Prepared, Problem>> {
  const read = await readRunHeadInSlices(site, asked);
  if (read.type === 'error') return read;
  const { runId, started } = read.value;
  return ok({
    plan: {
      ...{ runId, workspace: site.workspace, kind: started.kind as RunKind, title: started.title },
      ...{ secrets: [], notify: notifyOf(site, read.value), begin: { type: 'notify' } },
    },
  });
}

function notifyOf({ workspace }: Site, head: RunHead): readonly NotifyChannel[] {
  const input = head.started.kind === 'workflow' ? head.input : undefined;
  const definition = isJsonObject(input) ? input['definition'] : undefined;
  if (!isJsonObject(definition) || definition['notifies'] !== true) return [];
  return loadNotify(workspace, String(definition['file']));
}

function textOf(path: string): string {
  try {
    return readPlainText(path);
  } catch {
    // There is none, or it is not ours.
    return '';
  }
}
