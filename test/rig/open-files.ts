import fs from 'node:fs';

/** Up to this many spare pipes may be open for the next child. */
const SPARE_ENDS = 64;

/** Number of files this process has open, except pipes that wait for the next child. */
export function openFiles(): number {
  const names = fs.readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [fs.readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // The listing itself, which is closed by now.
      return [];
    }
  });
  const spare = names.filter((name) => name.includes('orchestrate-pipes-')).length;
  return names.length - Math.min(spare, SPARE_ENDS);
}
