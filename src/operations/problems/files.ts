/** Problems with files that any operation can have. */

import { describeFailure, errnoWords } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { form, said } from '../../model/problem-form.ts';
import { holderText } from '../../store/describe-held.ts';
import type { DocumentProblem } from '../../store/document.ts';
import { type NoRepository, wordsFor } from '../../workflow/load/no-repository.ts';

interface WithCode {
  readonly file: string;
  /** The code of a file system error, such as `ENOENT`. */
  readonly code: string;
}

interface WithFailure {
  readonly failure: Failure;
}

export function documentText(problem: DocumentProblem): string {
  return problem.type === 'held'
    ? `\`${problem.path}\` is being changed by ${holderText(problem)}`
    : problem.message;
}

export const fileProblems = () => ({
  failure: form('failed', ({ failure }: WithFailure) => said(describeFailure(failure))),
  'invalid-place': form('invalid', ({ failure }: WithFailure) => said(describeFailure(failure))),
  /** An error of the file system that was not expected where it happened. */
  'disk-error': form('failed', ({ reason, remedy }: { readonly reason: string; readonly remedy: string }) =>
    said(reason, remedy),
  ),
  'cannot-read-file': form('failed', ({ file, code }: WithCode) =>
    said(`cannot read \`${file}\`: ${errnoWords(code)}`),
  ),
  'cannot-write-file': form('failed', ({ file, code }: WithCode) =>
    said(`cannot write \`${file}\`: ${errnoWords(code)}`),
  ),
  'cannot-create-folder': form('failed', ({ file, code }: WithCode) =>
    said(`cannot create folder \`${file}\`: ${errnoWords(code)}`),
  ),
  'unreadable-request': form('invalid', ({ file, code }: WithCode) =>
    said(`cannot read \`${file}\`: ${errnoWords(code)}`),
  ),
  'no-such-file': form('not-found', ({ file }: { readonly file: string }) =>
    said(`file \`${file}\` not found`),
  ),
  'no-such-document': form('not-found', ({ file }: { readonly file: string }) =>
    said(`\`${file}\` not found: this workspace does not have it yet`),
  ),
  'document-problem': form('failed', ({ problem }: { readonly problem: DocumentProblem }) =>
    said(documentText(problem)),
  ),
  'locked-document': form('held', ({ file }: { readonly file: string }) =>
    said(`\`${file}\` is locked by another process`, 'try again'),
  ),
  'needs-repository': form(
    'conflict',
    ({ what, why }: { readonly what: string; readonly why: NoRepository }) => {
      if (why.type === 'none') return said(`${what} needs a git repository`, 'create one with `git init`');
      const { message, help } = wordsFor(why);
      return said(`${what} needs a git repository, but ${message}`, help);
    },
  ),
  'invalid-branch-name': form('invalid', ({ name }: { readonly name: string }) =>
    said(`\`${name}\` is not a valid name of a branch`),
  ),
});
