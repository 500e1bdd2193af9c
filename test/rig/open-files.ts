import fs from 'node:fs';

/** Of pipes that wait for the next child, so many may be open. */
const SPARE_ENDS = 64;

/** How many files this process has open, but for pipes that wait for the next child. */
export function openFiles(): number {
  const names = fs.readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [fs.readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // The listing itself, closed by now.
      return [];
    }
  });
  const spare = names.filter((name) => name.includes('orchestrate-pipes-')).length;
  return names.length - Math.min(spare, SPARE_ENDS);
}
