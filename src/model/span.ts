/** The time between two recorded moments, in ms. Never below 0: the clock may have been set back in between. */
export function spanMs(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}
