/** Serializes changes of the documents and describes what can prevent them. */
import { defined } from '../../model/defined.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import { error, type Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import { holderHelp, holderText } from '../../store/describe-held.ts';
import type { DocumentProblem } from '../../store/document.ts';
import { errnoOf } from '../../store/errno.ts';
import { refusedPath } from '../../store/plain-folder.ts';
import type { PhasesPaths } from '../layout.ts';
import type { Refusal } from '../transitions.ts';
import { takeTurn } from './take-turn.ts';

export const ALREADY_THERE = 'a workflow already exists here';

export type PhasesProblem = DocumentProblem | (Refusal & { readonly type: 'refused' });

/** Runs `action` with the lock of `workflow.json`. File system errors become problems; anything else thrown is a bug. */
export async function alone<Value>(
  paths: PhasesPaths,
  action: () => Result<Value, PhasesProblem>,
): Promise<Result<Value, PhasesProblem>> {
  try {
    const done = await takeTurn(`${paths.document}.lock`, action);
    return done.type === 'ok' ? done.value : done;
  } catch (cause) {
    return error(fileProblem(paths.document, cause));
  }
}

export function fileProblem(path: string, cause: unknown): DocumentProblem {
  const code = errnoOf(cause);
  if (code === 'ENOENT') return { type: 'missing', path, message: `\`${path}\` not found` };
  const at = refusedPath(cause, path);
  return { type: 'file-error', path: at, code, message: `cannot change \`${at}\`: ${errnoWords(code)}` };
}

/** Describes a problem to the user. */
export function problemWords(problem: PhasesProblem): { readonly message: string; readonly help?: string } {
  switch (problem.type) {
    case 'held': {
      const help = holderHelp(problem);
      return {
        message: `\`workflow.json\` is being changed by ${holderText(problem)}`,
        ...defined({ help }),
      };
    }
    case 'missing':
      return {
        message: 'no workflow found here',
        help: 'create one with `orchestrate phases create "<task>" --phase "Title::agent"`',
      };
    case 'refused':
      return {
        message: problem.message,
        ...defined({ help: problem.help }),
      };
    case 'exists':
      return {
        message: problem.message,
        help: 'archive it with `orchestrate phases archive`, or use `--archive`',
      };
    case 'file-error':
    case 'invalid':
    case 'not-json':
      return { message: problem.message };
    default:
      return unreachable(problem);
  }
}
