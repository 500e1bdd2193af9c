import fs from 'node:fs';
import { resolve } from 'node:path';
import { error, ok, type Result } from '../../../model/result.ts';
import { errnoOf } from '../../../store/errno.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';

/** Reads a request or a list of tasks from a file named by the user. */
export function readRequest({ workspace }: Pick<Site, 'workspace'>, path: string): Result<string, Problem> {
  try {
    return ok(fs.readFileSync(resolve(workspace, path), 'utf8'));
  } catch (cause) {
    return error(unreadable(path, errnoOf(cause)));
  }
}

export function unreadable(path: string, errno: string): Problem {
  return { type: 'unreadable-request', file: path, code: errno };
}
