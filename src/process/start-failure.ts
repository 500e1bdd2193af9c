import fs from 'node:fs';
import { resolve } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { isInPath } from './find-program.ts';
import type { ProcessRequest } from './request.ts';

/**
 * Finds the real cause: the system reports ENOENT for a missing program, a missing folder and a missing interpreter alike, and EACCES for a
 * missing program if `PATH` has a folder that the user may not enter.
 */
export function startFailure(request: Pick<ProcessRequest, 'argv' | 'cwd' | 'env'>, code: string): Failure {
  const program = request.argv[0] ?? '';
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') {
    const folder = folderProblem(request.cwd);
    if (folder !== undefined) return { type: 'file', operation: 'use', path: request.cwd, code: folder };
  }
  const isPath = program.includes('/');
  if (code === 'ENOENT' && !(isPath && fs.existsSync(resolve(request.cwd, program)))) {
    return { type: 'not-found', program };
  }
  if (code === 'EACCES' && !isPath && !isInPath(program, request.env['PATH']))
    return { type: 'not-found', program };
  return { type: 'cannot-start', program, code, reason: reasonWords(code) };
}

function folderProblem(cwd: string): string | undefined {
  const found = fs.statSync(cwd, { throwIfNoEntry: false });
  if (found === undefined) return 'ENOENT';
  if (!found.isDirectory()) return 'ENOTDIR';
  try {
    fs.accessSync(cwd, fs.constants.X_OK);
    return undefined;
  } catch {
    return 'EACCES';
  }
}

function reasonWords(code: string): string {
  switch (code) {
    case 'ENOENT':
      return 'the interpreter named in its first line does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'it is not executable';
    case 'E2BIG':
      return 'its arguments and environment are longer than the system allows';
    case 'EAGAIN':
    case 'ENOMEM':
      return 'the system is out of processes or memory';
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open';
    case 'ETXTBSY':
      return 'it is being written to';
    case 'ENOEXEC':
      return 'it is not a program this machine can run';
    case 'ERR_INVALID_ARG_VALUE':
      return 'an argument or a variable contains a NUL character or is empty';
    default:
      return 'the system refused';
  }
}
