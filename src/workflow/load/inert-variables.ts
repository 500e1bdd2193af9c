import type { Reference } from '../../template/template.ts';

const RUN = new Set(['timestamp_utc', 'id']);
const LOOP = new Set(['index', 'total']);
const STEP = new Set(['exit_code', 'duration', 'duration_ms', 'cost_usd', 'outcome']);

/** Variables whose values the program itself makes, and which are a number or one plain word: no place in a script makes code of them. */
export function isInertVariable(reference: Reference): boolean {
  const [root = '', key = '', member = ''] = reference.path;
  if (root === 'run') return RUN.has(key);
  if (root === 'loop') return LOOP.has(key);
  return root === 'steps' && STEP.has(member);
}
