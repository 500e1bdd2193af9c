import { errnoWords } from '../../../model/describe-failure.ts';
import { errnoOf } from '../../../store/errno.ts';

/** What the system refused, in words: a full disk, a folder where a file should be. Anything else is a bug and is thrown on. */
export function systemProblem(cause: unknown): string {
  const code = errnoOf(cause);
  const { path, dest } = cause as NodeJS.ErrnoException & { readonly dest?: string };
  const place = dest ?? path;
  return place === undefined ? errnoWords(code) : `cannot use \`${place}\`: ${errnoWords(code)}`;
}
