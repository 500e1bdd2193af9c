/** Starts processes with a stamp (M2 of `marks.ts`). */
import { join } from 'node:path';

/** Children started within `start` get the stamp of this mark, if the system supports it. */
export type Stamper = <Started>(mark: string, start: () => Started) => Started;

/** Sets the stamp of this process, which its children inherit, and returns the previous one; undefined if unsupported. */
type SetStamp = (stamp: bigint) => bigint | undefined;

export const noStamper: Stamper = (_mark, start) => start();

/** The native part exists only if the build found a compiler. */
export function stamperIn(dist: string): Stamper {
  let setStamp: SetStamp | undefined;
  let isLoaded = false;
  return (mark, start) => {
    if (!isLoaded) setStamp = loadSetStamp(dist);
    isLoaded = true;
    const before = setStamp?.(BigInt(mark));
    if (before === undefined) return start();
    try {
      return start();
    } finally {
      setStamp?.(before);
    }
  };
}

export function loadSetStamp(dist: string): SetStamp | undefined {
  if (process.platform !== 'linux') return undefined;
  const native: { exports: unknown } = { exports: {} };
  try {
    process.dlopen(native, join(dist, `stamp-${process.platform}-${process.arch}.node`));
    return native.exports as SetStamp;
  } catch {
    return undefined;
  }
}
