import type { Reference } from './template.ts';

const OF_RUN = new Set(['run.id', 'run.timestamp_utc', 'run.root', 'loop.index', 'loop.total']);
const OUTER_NUMBER = /^loop(?:\.outer)+\.(?:index|total)$/;
const OF_STEP = new Set(['exit_code', 'duration', 'duration_ms', 'outcome', 'attempts', 'cost_usd']);

/** Variables whose values are always plain words, so they may be used anywhere in a script. */
export function isInertVariable({ path, text }: Reference): boolean {
  if (OUTER_NUMBER.test(text)) return true;
  return OF_RUN.has(text) || (path.length === 3 && path[0] === 'steps' && OF_STEP.has(path[2] ?? ''));
}

/** Values from the author or the caller of a workflow may choose a program; values from files and steps may not. */
export function mayNameProgram({ path }: Reference): boolean {
  return path[0] === 'context' || path[0] === 'run';
}
