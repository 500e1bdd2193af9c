/** Starts processes with a stamp (M2 of `marks.ts`). */
import type { NativePart } from './native.ts';

/** Children started within `start` get the stamp of this mark, if the system supports it. */
export type Stamper = <Started>(mark: string, start: () => Started) => Started;

export const noStamper: Stamper = (_mark, start) => start();

export function createStamper(native: NativePart): Stamper {
  return (mark, start) => {
    const before = native()?.setStamp(BigInt(mark));
    if (before === undefined) return start();
    try {
      return start();
    } finally {
      native()?.setStamp(before);
    }
  };
}
