import * as v from 'valibot';
import { later } from './later.ts';
import { argv, flag, globs, oneOf, text, words } from './scalars.ts';

const WORKTREE = 'worktree';

/** `isolate: worktree`, or its long form. */
export const isolate = later(() =>
  v.pipe(
    v.union([
      oneOf(
        [WORKTREE],
        'Each works in its own git worktree; its changes are merged into the files of the workspace.',
      ),
      v.strictObject({
        worktree: v.optional(flag('Whether it works in a worktree.'), true),
        commit: v.optional(
          v.pipe(
            v.union([
              flag('Whether the changes become one commit on the current branch.'),
              v.strictObject({
                message: v.optional(text('The message of the commit; `${…}` is substituted.')),
                author: v.optional(
                  v.pipe(
                    words('The author of the commit: `Name <mail@example.com>`. Default: the user of git.'),
                    v.regex(/^[^<>]+ <[^<>]+>$/, 'must have the form `Name <mail@example.com>`'),
                  ),
                ),
              }),
            ]),
            v.description(
              'Makes one commit on the current branch, without your uncommitted changes. Default: `false`: only files are changed, nothing is staged.',
            ),
          ),
          false,
        ),
        include: v.optional(globs('Files ignored by git that are copied into the worktree, such as `.env`.')),
        setup: v.optional(argv('A command that is run once in the new worktree, such as `[npm, ci]`.')),
        review: v.optional(
          flag(
            'Whether a person has to accept the changes before they are merged: `orchestrate approve <run> <step>/review --choose accept`.',
          ),
          false,
        ),
      }),
    ]),
    v.description(
      'Runs the step in its own git worktree; of a `for_each`, `parallel` or `graph`, each item, branch or step. The worktree starts with the files of the workspace, uncommitted ones included. A conflict is a failure with outcome `conflict`, and the branch is kept.',
    ),
  ),
);

export type IsolateSource = v.InferOutput<typeof isolate>;
