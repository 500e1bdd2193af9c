/** What a step says to its shell or its agent. */
import * as v from 'valibot';
import { oneOf, textBlock } from './scalars.ts';

export const workEntries = {
  script: v.optional(
    textBlock('A shell script to run. Each `${…}` is quoted for its place, so no value becomes code.'),
  ),
  shell: v.optional(
    oneOf(
      ['bash', 'sh'],
      'The shell of the `script`. Default: `bash`, run with `-euo pipefail`; `sh` is run with `-eu`.',
    ),
  ),
  prompt: v.optional(
    textBlock(
      'The prompt of an agent, instead of `input_file`. `${…}` is substituted, complete even if truncated elsewhere.',
    ),
  ),
};
