/** What a step says to its shell or its agent, and where it works. */
import * as v from 'valibot';
import { filePath, oneOf, textBlock } from './scalars.ts';

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
  working_dir: v.optional(
    filePath(
      'The folder the process or agent runs in. Files of the step are still relative to the workspace.',
    ),
  ),
  prompt: v.optional(
    textBlock(
      'The prompt of an agent, instead of `input_file`. `${…}` is substituted, complete even if truncated elsewhere.',
    ),
  ),
};
