import { unreachable } from '../../model/unreachable.ts';
import { describeProblem } from '../describe-problem.ts';
import type { RunKept } from './clean-runs.ts';

/** Why `clean` has kept a run. Names of files are not made printable. */
export function keptRunText(kept: RunKept): string {
  switch (kept.type) {
    case 'held':
      return `${kept.by} is running it`;
    case 'changed':
      return `its status is now ${kept.status}`;
    case 'not-ours':
      return `it contains ${kept.names.map((name) => `\`${name}\``).join(', ')}, not written by orchestrate`;
    case 'kept-by-workers':
      return kept.problem === undefined ? 'a worker has it, or will' : describeProblem(kept.problem).message;
    default:
      return unreachable(kept);
  }
}
