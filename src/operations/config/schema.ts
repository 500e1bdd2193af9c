/**
 * The format of `config.yaml`: of a workspace in `.orchestrate/`, and of a user. `scripts/schema.js` turns it into the JSON Schema that
 * editors use.
 */
import * as v from 'valibot';
import { askRules } from '../../model/ask-schema.ts';
import { notify } from '../../workflow/schema/notify.ts';
import { oneOf, wholeNumber, words } from '../../workflow/schema/scalars.ts';

export const config = v.pipe(
  v.strictObject({
    serve: v.optional(
      v.pipe(
        v.strictObject({
          port: v.optional(
            wholeNumber('The port of `orchestrate serve`; 0 takes a free one. Default: 4747.', {
              min: 0,
              max: 65_535,
            }),
          ),
          max_runs: v.optional(
            wholeNumber('How many runs may have a process before others wait in the queue. Default: 4.', {
              min: 1,
              max: 1000,
            }),
          ),
          public_url: v.optional(
            v.pipe(
              words('The address at which you open the page; notifications link to it.'),
              v.regex(
                /^https?:\/\/[^\s/@]+\/?$/,
                'must be an address such as `https://runs.example.com`, without a path',
              ),
            ),
          ),
        }),
        v.description('The page and the keeper.'),
      ),
    ),
    keep: v.optional(
      oneOf(
        ['always', 'never'],
        'Whether `orchestrate keep` and `serve` resume runs of this workspace by themselves. Default: `always`.',
      ),
    ),
    notify: v.optional(notify),
    ask: v.optional(askRules),
  }),
  v.description('Settings of a workspace or of a user.'),
);

export type ConfigSource = v.InferOutput<typeof config>;
