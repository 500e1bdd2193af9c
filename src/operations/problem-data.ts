/** A problem as JSON for programs: its kind, type, subject, message and help. */

import { adviceText, type HowToCall } from '../model/advice.ts';
import { defined } from '../model/defined.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { positionAt } from '../model/source.ts';
import { describeProblem } from './describe-problem.ts';
import { kindOf, type Problem } from './problem.ts';

export function problemData(problem: Problem, how: HowToCall): JsonObject {
  const { message, details, note, help } = describeProblem(problem);
  return {
    kind: kindOf(problem),
    ...aboutOf(problem),
    message,
    ...defined({ details, note }),
    ...(help === undefined ? {} : { help: adviceText(help, how) }),
  };
}

/** The fields of the problem, without large or internal ones. */
function aboutOf(problem: Problem): JsonObject {
  switch (problem.type) {
    case 'damaged-run': {
      const { type, runId, damage } = problem;
      return { type, runId, damage: damage.type, line: damage.line, offset: damage.offset };
    }
    case 'cannot-write':
      return { type: problem.type, runId: problem.runId, failure: problem.failure as unknown as JsonValue };
    case 'invalid-file':
      return {
        type: problem.type,
        diagnostics: problem.diagnostics.map(({ code, severity, message, range, help }) => {
          const start = range === undefined ? undefined : positionAt(range.file, range.start);
          return {
            code,
            severity,
            message,
            ...(start === undefined ? {} : { line: start.line, column: start.column }),
            ...defined({ help }),
          };
        }),
      };
    case 'not-trusted':
      return {
        type: problem.type,
        folder: problem.folder,
        claims: problem.claims.map(({ name, file, standing }) => ({ name, file, standing })),
      };
    default:
      // Partial: the others are small and already plain data, but for the holder of a lock.
      return withHolder(problem);
  }
}

function withHolder(problem: Problem): JsonObject {
  if (!('held' in problem)) return { ...problem } as unknown as JsonObject;
  const { held, ...rest } = problem;
  return { ...(rest as unknown as JsonObject), pid: held.owner.pid, host: held.owner.host };
}
