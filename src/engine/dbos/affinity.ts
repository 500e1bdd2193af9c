/**
 * Work that stays on a machine. A call may leave something behind on the machine of its worker – an agent its conversation – that a later call
 * continues: that one goes to the same worker while it lives.
 *
 * N1 A worker is known by its name, which outlives its process: what it left is on its machine.
 * N2 A worker that is gone, or that could not take the call, is not waited for. The call then knows which one that was.
 */
import type { JsonValue } from '../../model/json.ts';
import type { EffectOutput } from '../../model/record.ts';
import { type FilesBy, labelOfName, queueOfLabel } from './carrier.ts';
import type { Pool, Rows } from './database.ts';

/** What effects leave behind, by name: whoever knows the effects says so. */
export interface Affinity {
  /** What a call needs that an earlier one has left, perhaps in another run. */
  needs(effect: string, input: JsonValue): string | undefined;
  leaves(effect: string, output: EffectOutput): string | undefined;
  /** Whether another attempt continues what the one before it has begun. */
  continuesItself(effect: string): boolean;
}

/** The worker that has what a call needs. */
export interface Holder {
  readonly name: string;
  /** It lives and can take the call. */
  readonly isThere: boolean;
  /** The call that left it. */
  readonly runId: string;
  readonly request: string;
}

export interface NeedingCall {
  readonly callId: string;
  readonly runId: string;
  readonly key: string;
  readonly label: string;
  readonly version: string;
  readonly filesBy: FilesBy;
  readonly needs?: string | undefined;
  readonly continuesItself: boolean;
}

/** Whether `l` is a living worker that takes calls of this version and these files. */
function takes(version: string, filesBy: string): string {
  return `l.dead_at is null and l.version = ${version} and l.files_by = ${filesBy}`;
}

export async function holderOf(rows: Rows, call: NeedingCall): Promise<Holder | undefined> {
  const { callId, runId, key, label, version, filesBy, needs, continuesItself } = call;
  const found = await rows.query<{
    readonly name: string;
    readonly run_id: string;
    readonly request: string;
    readonly is_there: boolean;
  }>(
    `select w.name, c.run_id, c.request, exists (
       select from orchestrate.workers l where l.name = w.name and $4 = any (l.labels) and ${takes('$5', '$6')}
     ) as is_there
     from orchestrate.calls c join orchestrate.workers w using (executor)
     where c.call_id <> $7 and (c.leaves = $1 or (c.run_id = $2 and c.key = $3))
     order by c.created_at desc limit 1`,
    [needs ?? null, runId, continuesItself ? key : null, label, version, filesBy, callId],
  );
  const [row] = found.rows;
  if (row === undefined) return undefined;
  return { name: row.name, isThere: row.is_there, runId: row.run_id, request: row.request };
}

/** N2: calls that wait for a worker which does not come back go to the others with their label. */
export async function releaseWaiting(pool: Pool): Promise<void> {
  const waiting = await pool.query<{
    readonly call_id: string;
    readonly label: string;
    readonly holder: string;
    readonly files_by: FilesBy;
  }>(
    `select c.call_id, c.label, c.holder, f.files_by
     from orchestrate.calls c join orchestrate.runs r using (run_id),
       lateral (select case when r.files is null then 'folder' else 'git' end as files_by) f
     where c.ended_at is null and c.holder is not null and c.label <> 'at:' || c.holder and not exists (
       select from orchestrate.workers l where l.name = c.holder and ${takes('r.version', 'f.files_by')}
     )`,
  );
  for (const { call_id, label, holder, files_by } of waiting.rows)
    await pool.query(
      `update dbos.workflow_status set queue_name = $3
       where workflow_uuid = $1 and status = 'ENQUEUED' and queue_name = $2`,
      [call_id, queueOfLabel(labelOfName(holder), files_by), queueOfLabel(label, files_by)],
    );
}

/** What a worker knows of a call that it begins. */
export interface BegunCall {
  readonly starts: number;
  /** The worker that has what it continues. */
  readonly holder: string | null;
  /** The worker that began it before this one. */
  readonly before: string | null;
}

/** N2: the worker that has what this call continues, if that is not this one. */
export function partedFrom({ starts, holder, before }: BegunCall, here: string): string | undefined {
  if (holder !== null && holder !== here) return holder;
  return starts > 1 && before !== null && before !== here ? before : undefined;
}
