import { setImmediate as nextTurn } from 'node:timers/promises';
import { logSize, readLog } from '../runs/read-log.ts';

export interface LogMatches {
  /** Bytes at which a match starts. */
  readonly found: readonly number[];
  /** Where the search ended: continue from here. */
  readonly to: number;
  readonly size: number;
}

const MOST_FOUND = 200;
/** One answer looks at no more than this. */
const MOST_BYTES = 256 << 20;
const SLICE_MS = 10;

/** Searches for text as it is written, in slices. */
export async function findInLog(
  path: string,
  { q, from }: { readonly q: string; readonly from: number },
): Promise<LogMatches> {
  const wanted = Buffer.from(q);
  const size = logSize(path);
  const found: number[] = [];
  let at = from;
  let rest = Buffer.alloc(0);
  let sliceEnds = performance.now() + SLICE_MS;
  for (const piece of readLog(path, { from, to: Math.min(size, from + MOST_BYTES) })) {
    const bytes = Buffer.concat([rest, piece]);
    const start = at - rest.length;
    for (let hit = bytes.indexOf(wanted); hit !== -1; hit = bytes.indexOf(wanted, hit + 1)) {
      found.push(start + hit);
      if (found.length === MOST_FOUND) return { found, to: start + hit + 1, size };
    }
    at += piece.length;
    // A match may be cut by the end of a piece.
    rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - wanted.length + 1)));
    if (performance.now() < sliceEnds) continue;
    await nextTurn();
    sliceEnds = performance.now() + SLICE_MS;
  }
  return { found, to: at, size };
}
