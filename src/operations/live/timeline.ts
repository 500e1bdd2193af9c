/** The time of a run: which steps worked when, and when nothing did. */
import { type IndexRow, isContainer, type RowStatus } from '../../engine/index-row.ts';
import type { LiveRun } from './live-run.ts';

/** `[status, start, end]` in milliseconds since 1970. */
export type Span = readonly [status: RowStatus, start: number, end: number];

export interface Timeline {
  readonly from: number;
  readonly to: number;
  /** At most as many as asked for; neighbours are joined. */
  readonly spans: readonly Span[];
  /** Stretches in which nothing ran, which views collapse. */
  readonly idle: readonly (readonly [start: number, end: number])[];
}

/** Shorter pauses are shown as they are. */
const SHORTEST_IDLE_MS = 30_000;
/** An idle stretch is worth collapsing only if it takes this part of the whole. */
const IDLE_PART = 0.1;

export interface TimelineAsked {
  readonly most: number;
  readonly now: number;
  /** Only what happened between these times; default: all. */
  readonly from?: number;
  readonly to?: number;
}

export function timelineOf(run: LiveRun, { most, now, ...part }: TimelineAsked): Timeline {
  const { state, isAbandoned } = run;
  const start = state === undefined ? now : Date.parse(state.started_at);
  const isOpen = state?.status === 'running' || state?.status === 'waiting';
  const end = isOpen ? now : Date.parse(state?.completed_at ?? state?.updated_at ?? '');
  const from = Math.max(start, part.from ?? start);
  const to = Math.max(from + 1, Math.min(Math.max(start + 1, end), part.to ?? Number.MAX_SAFE_INTEGER));
  const leaves = run.index.rows
    .filter(
      (row) =>
        isLeaf(row) &&
        (row.startedAt ?? 0) <= to &&
        endOf(row, { start: row.startedAt ?? from, to: end }) >= from,
    )
    .sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
  const spans: [RowStatus, number, number][] = [];
  const idle: [number, number][] = [];
  const shortest = Math.max(SHORTEST_IDLE_MS, (to - from) * IDLE_PART);
  const width = (to - from) / most;
  let busyTo = from;
  for (const row of leaves) {
    const status = isAbandoned && row.status === 'running' ? 'interrupted' : row.status;
    const start = Math.max(from, row.startedAt ?? from);
    const end = Math.min(to, endOf(row, { start: row.startedAt ?? from, to }));
    const waits = status === 'waiting' || row.kind === 'question';
    if (start - busyTo > shortest) idle.push([busyTo, start]);
    if (!waits) busyTo = Math.max(busyTo, end);
    const last = spans.at(-1);
    // Narrower than a pixel: joined, and a failure stays visible.
    if (last !== undefined && end - last[1] < width) {
      last[2] = Math.max(last[2], end);
      if (status !== 'completed' && status !== 'skipped') last[0] = status;
    } else spans.push([status, start, Math.max(end, start)]);
  }
  if (to - busyTo > shortest) idle.push([busyTo, to]);
  return { from, to, spans, idle };
}

function isLeaf({ kind, startedAt, status }: IndexRow): boolean {
  return (
    startedAt !== undefined &&
    !isContainer(kind) &&
    kind !== 'item' &&
    kind !== 'branch' &&
    status !== 'skipped'
  );
}

function endOf(row: IndexRow, at: { readonly start: number; readonly to: number }): number {
  if (row.durationMs !== undefined) return at.start + row.durationMs;
  return row.endedAt ?? at.to;
}
