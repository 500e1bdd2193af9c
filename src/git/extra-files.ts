/** Files of a worktree that git does not know: copies of ignored files, and links. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { errnoOf } from '../store/errno.ts';
import { makeFolder } from '../store/make-folder.ts';
import { checkRelativePath, fileFailure } from '../store/safe-path.ts';
import { TEMPORARY_GLOB } from '../store/temporary-name.ts';
import { printed, splitZero } from './git.ts';
import type { Repository } from './repository.ts';

/** Ignored files that match, copied; links as links. They are no part of the work: nothing of them is committed or brought back. */
export async function copyIgnored(
  { git, top, prefix }: Repository,
  { patterns, to }: { readonly patterns: readonly string[]; readonly to: string },
): Promise<Result<void, Failure>> {
  if (patterns.length === 0) return ok(undefined);
  for (const pattern of patterns) {
    const checked = checkRelativePath(pattern);
    if (checked.type === 'error') return checked;
  }
  const listed = await printed(
    git,
    [
      ...['ls-files', '--others', '--ignored', '--exclude-standard', '--full-name', '-z', '--'],
      ...patterns.map((pattern) => `:(top,glob)${prefix}${pattern}`),
      `:(top,exclude,literal)${prefix}.orchestrate`,
      `:(top,exclude,glob)${TEMPORARY_GLOB}`,
    ],
    { doing: 'list the ignored files', cwd: top },
  );
  if (listed.type === 'error') return listed;
  for (const path of splitZero(listed.value)) {
    const copied = copyOne(join(top, path), join(to, path));
    if (copied.type === 'error') return copied;
  }
  return ok(undefined);
}

function copyOne(from: string, to: string): Result<void, Failure> {
  try {
    makeFolder(dirname(to));
    const stat = fs.lstatSync(from);
    if (stat.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(from), to);
    else if (stat.isFile())
      fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE | fs.constants.COPYFILE_EXCL);
    return ok(undefined);
  } catch (cause) {
    // It exists if the folder has it from git.
    if (errnoOf(cause) === 'EEXIST') return ok(undefined);
    return error(fileFailure('copy', from, cause));
  }
}

export function linkInto(
  { top, prefix }: Repository,
  { paths, to }: { readonly paths: readonly string[]; readonly to: string },
): Result<void, Failure> {
  for (const path of paths) {
    try {
      const link = join(to, path);
      if (!fs.existsSync(link)) fs.symlinkSync(join(top, prefix, path), link);
    } catch (cause) {
      return error(fileFailure('link', path, cause));
    }
  }
  return ok(undefined);
}
