/** Serializes changes of the documents. */
import { errnoWords } from '../../model/describe-failure.ts';
import { error, type Result } from '../../model/result.ts';
import type { DocumentProblem } from '../../store/document.ts';
import { errnoOf } from '../../store/errno.ts';
import { refusedPath } from '../../store/plain-folder.ts';
import type { PhasesPaths } from '../layout.ts';
import type { PhaseRefusal } from '../refusals.ts';
import { takeTurn } from './take-turn.ts';

export const ALREADY_THERE = 'a workflow already exists here';

export type PhasesProblem = DocumentProblem | PhaseRefusal;

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
