/** Steps that leave a loop or end the run. */
import * as v from 'valibot';
import { condition } from './condition.ts';
import { later } from './later.ts';
import { oneOf, text } from './scalars.ts';

export const breakLoop = later(() =>
  v.pipe(
    v.strictObject({
      when: v.optional(
        v.pipe(condition, v.description('The loop is left only if this is true. Default: always.')),
      ),
    }),
    v.description(
      'Leaves the innermost `for_each` or `repeat`: it starts nothing new, lets what runs finish, and succeeds.',
    ),
  ),
);

export const endRun = later(() =>
  v.pipe(
    v.strictObject({
      status: v.optional(oneOf(['completed', 'failed'], 'How the workflow ends.'), 'completed'),
      message: v.optional(text('Why, for people. `${…}` is substituted.')),
    }),
    v.description(
      'Ends the workflow: what runs in other branches is stopped, `finally` runs. In a called workflow, it ends that workflow.',
    ),
  ),
);
