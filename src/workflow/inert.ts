import type { Reference } from '../template/template.ts';

const OF_RUN = new Set(['timestamp_utc', 'id']);
const OF_LOOP = new Set(['index', 'total']);
const OF_STEP = new Set(['exit_code', 'duration', 'duration_ms']);

/** Values that hold only digits and plain letters by construction may stand anywhere, in code too. */
export function isInert({ path }: Reference): boolean {
  const [root, second, third] = path;
  if (root === 'run') return path.length === 2 && OF_RUN.has(second ?? '');
  if (root === 'loop') return path.length === 2 && OF_LOOP.has(second ?? '');
  return root === 'steps' && path.length === 3 && OF_STEP.has(third ?? '');
}
