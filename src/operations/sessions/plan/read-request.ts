import fs from 'node:fs';
import { resolve } from 'node:path';
import { errnoWords } from '../../../model/describe-failure.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { errnoOf } from '../../../store/errno.ts';
import { type Refused, refused } from '../../problem.ts';
import type { Site } from '../../site.ts';

/** Reads a request or a list of tasks from a file named by the user. */
export function readRequest({ workspace }: Pick<Site, 'workspace'>, path: string): Result<string, Refused> {
  try {
    return ok(fs.readFileSync(resolve(workspace, path), 'utf8'));
  } catch (cause) {
    return error(unreadable(path, errnoOf(cause)));
  }
}

export function unreadable(path: string, errno: string): Refused {
  return refused('invalid', `cannot read \`${path}\`: ${errnoWords(errno)}`);
}
