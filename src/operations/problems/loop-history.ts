/** Problems with the changes of a loop, and with the queue of loops. */

import { form, said } from '../../model/problem-form.ts';
import { holderHelp, holderText } from '../../store/describe-held.ts';
import type { Held } from '../../store/lock.ts';

interface Named {
  readonly name: string;
}

export const loopHistoryProblems = () => ({
  'no-recorded-changes': form('conflict', ({ name }: Named) =>
    said(
      `no changes of \`${name}\` are recorded`,
      'they are recorded in a git repository, after an iteration',
    ),
  ),
  'iteration-not-recorded': form(
    'not-found',
    ({ iteration, last }: { readonly iteration: number; readonly last: number }) =>
      said(`iteration ${iteration} is not recorded; the last one is ${last}`),
  ),
  'rollback-conflict': form(
    'conflict',
    ({
      name,
      to,
      files,
      isBegun,
    }: Named & { readonly to: number; readonly files: readonly string[]; readonly isBegun: boolean }) =>
      said(
        `cannot roll back: these files were changed since, in the same lines: ${files.join(', ')}`,
        isBegun
          ? `commit or undo your changes of them, then finish it: claude-iterate rollback ${name} ${to}`
          : 'commit or undo your changes of them first; nothing was changed',
      ),
  ),
  'unfinished-rollback': form('conflict', ({ name, to }: Named & { readonly to: number }) =>
    said(
      `the rollback of \`${name}\` to iteration ${to} has not finished`,
      `finish it: claude-iterate rollback ${name} ${to}`,
    ),
  ),
  'shared-iteration': form('conflict', ({ iteration }: { readonly iteration: number }) =>
    said(
      `another loop was at work during iteration ${iteration}, so its changes cannot be told apart`,
      'use `--checkpoint` or `--worktree` for loops that run side by side',
    ),
  ),
  'trees-removed': form('failed', () =>
    said('git no longer has the trees of this run', 'it removes what is in no commit after two weeks'),
  ),

  'loop-already-queued': form('conflict', ({ name }: Named) =>
    said(`\`${name}\` is already in the queue`, `claude-iterate queue remove ${name}`),
  ),
  'loop-not-queued': form('not-found', ({ name }: Named) => said(`\`${name}\` is not in the queue`)),
  'queued-loop-running': form('held', ({ name }: Named) =>
    said(`\`${name}\` is running`, `stop it first: claude-iterate stop ${name}`),
  ),
  'queue-not-started': form('failed', ({ reason }: { readonly reason: string }) =>
    said(reason === '' ? 'the process cannot be started' : reason),
  ),
  'loop-queue-held': form('held', ({ held }: { readonly held: Held }) =>
    said(`The queue is already being worked through (${holderText(held)})`, holderHelp(held)),
  ),
});
