import { uniqueHex } from '../model/unique.ts';

const OWN_NAME = /^\d{8}T\d{9}Z-\d{4}-[0-9a-f]{6}\b/;

let lastMs = 0;
let inSameMs = 0;

/** Unique across processes; sorts by time, and by call order within one process. */
export function createTaskName(): string {
  const now = Math.max(Date.now(), lastMs);
  inSameMs = now === lastMs && inSameMs < 9999 ? inSameMs + 1 : 0;
  lastMs = now === lastMs && inSameMs === 0 ? now + 1 : now;
  const stamp = new Date(lastMs).toISOString().replace(/[-:.]/g, '');
  return `${stamp}-${String(inSameMs).padStart(4, '0')}-${uniqueHex(3)}`;
}

export function sortsByTime(name: string): boolean {
  return OWN_NAME.test(name);
}
