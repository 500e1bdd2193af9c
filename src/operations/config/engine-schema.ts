/** The format of `.orchestrate/engine.yaml`. `scripts/schema.js` turns it into the JSON Schema that editors use. */
import * as v from 'valibot';
import { LABEL_PATTERN } from '../../model/engine-settings.ts';
import { environmentName, oneOf, seconds, wholeNumber, words } from '../../workflow/schema/scalars.ts';

const WAYS = ['asked', 'always'] as const;

const LABELS_AT_MOST = 10_000;

/** What git would run as a program, or take for an option, is no address. */
export const HUB =
  /^(?:(?:ssh|https?|git|file):\/\/[^\s-]\S*|\/\S.*|[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*:[^\s-]\S*)$/;

const git = v.pipe(
  v.strictObject({
    hub: v.pipe(
      words(
        'The repository through which files travel; every machine must be able to fetch from it and push to it.',
      ),
      v.regex(
        HUB,
        'must be the address of a git repository, such as `ssh://build/orchestrate.git`, or an absolute path',
      ),
    ),
    setup: v.optional(
      v.pipe(
        v.array(words('One argument.')),
        v.nonEmpty('must contain at least the program'),
        v.description(
          'A command that prepares a new checkout, such as `[npm, ci]`: it runs on the worker, once for each state of the files.',
        ),
      ),
    ),
    include: v.optional(
      v.pipe(
        v.array(words('A glob of files relative to the workspace.')),
        v.description('Files that git ignores and that steps need, such as `.env.test`.'),
      ),
    ),
  }),
  v.description('Files travel as commits: each call gets a checkout of its own, and its changes are merged.'),
);

const label = v.pipe(
  v.strictObject({
    per_worker: v.optional(
      wholeNumber('How many calls one worker runs at the same time. Default: 4.', {
        min: 1,
        max: LABELS_AT_MOST,
      }),
    ),
    at_once: v.optional(
      wholeNumber('How many calls all workers together run at the same time. Default: no limit.', {
        min: 1,
        max: LABELS_AT_MOST,
      }),
    ),
    starts: v.optional(
      v.pipe(
        v.strictObject({
          limit: wholeNumber('How many calls may start.', { min: 1 }),
          per_sec: seconds('In how many seconds.'),
        }),
        v.description('How many calls may start within a time, on all workers together. Default: no limit.'),
      ),
    ),
  }),
  v.description('The limits of the calls with one label.'),
);

export const engine = v.pipe(
  v.strictObject({
    use: v.optional(
      oneOf(
        WAYS,
        'Which runs use it: those started with `--engine` (`asked`), or all (`always`). Default: `asked`.',
      ),
    ),
    database_env: v.optional(
      environmentName(
        'The environment variable with the address of the database. Default: `ORCHESTRATE_DATABASE_URL`.',
      ),
    ),
    workspace: v.optional(
      v.pipe(
        v.strictObject({
          git: v.optional(git),
          folder: v.optional(
            v.pipe(
              words('An absolute path at which every machine has the same files, such as a network folder.'),
              v.regex(/^\//, 'must be an absolute path'),
            ),
          ),
        }),
        v.description(
          'How workers get the files: exactly one of `git` and `folder`. Default: this folder, at the same path on every worker.',
        ),
      ),
    ),
    labels: v.optional(
      v.pipe(
        v.record(
          v.pipe(
            v.string(),
            v.regex(LABEL_PATTERN, 'must be small letters, digits, `_` and `-`'),
            v.description('A label, as a step names it under `worker`.'),
          ),
          label,
        ),
        v.description('Limits for labels. `default` is the label of steps that name none.'),
      ),
    ),
    poll_ms: v.optional(
      wholeNumber('How often a worker looks for work, in milliseconds. Default: 1000.', {
        min: 10,
        max: 600_000,
      }),
    ),
    dead_after_sec: v.optional(
      seconds(
        'After how many seconds without a sign of life a worker is dead, and its work is given to others. Default: 30.',
      ),
    ),
    max_worker_deaths: v.optional(
      wholeNumber('How many workers a step may end before it fails. Default: 3.', { min: 1, max: 100 }),
    ),
  }),
  v.description('Runs on several machines.'),
);

export type EngineSource = v.InferOutput<typeof engine>;
