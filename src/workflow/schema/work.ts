/** What a step says to its agent. */
import * as v from 'valibot';
import { textBlock } from './scalars.ts';

export const workEntries = {
  prompt: v.optional(
    textBlock(
      'The prompt of an agent, instead of `input_file`. `${…}` is substituted, complete even if truncated elsewhere.',
    ),
  ),
};
