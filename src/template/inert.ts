import type { Reference } from './template.ts';

const OF_RUN = new Set(['run.id', 'run.timestamp_utc', 'loop.index', 'loop.total']);
const OF_STEP = new Set(['exit_code', 'duration', 'duration_ms']);

/** Variables of workflows whose values are plain words by their nature: they may stand anywhere in a script. */
export function isInertVariable({ path, text }: Reference): boolean {
  return OF_RUN.has(text) || (path.length === 3 && path[0] === 'steps' && OF_STEP.has(path[2] ?? ''));
}

/** What the author and the caller of a workflow say may choose a program; what files and steps say may not. */
export function mayNameProgram({ path }: Reference): boolean {
  return path[0] === 'context' || path[0] === 'run';
}
