/** What a step says to its shell or its agent, and where it works. */
import * as v from 'valibot';
import { later } from './later.ts';
import { sandboxEntries } from './sandbox.ts';
import { filePath, flag, oneOf, textBlock, VARIABLE_NAME_PATTERN } from './scalars.ts';

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
  ...sandboxEntries,
  values: v.optional(
    later(() =>
      v.pipe(
        v.record(
          v.pipe(
            v.string(),
            v.regex(
              VARIABLE_NAME_PATTERN,
              'must be letters, digits and `_`, and must not start with a digit',
            ),
            v.description('The name of the value.'),
          ),
          v.strictObject({
            file: filePath('The file that the step wrote.'),
            type: v.optional(
              oneOf(['string', 'number', 'boolean', 'json', 'lines'], 'How the file is read.'),
              'string',
            ),
            fresh: v.optional(
              flag(
                'Whether the step must have written the file itself. If not, one that was there before is read too.',
              ),
              true,
            ),
          }),
        ),
        v.description(
          'Results read from files after the step has succeeded: `${steps.<Name>.values.<name>}`. A file that is missing, malformed, or was not written by the step fails it.',
        ),
      ),
    ),
  ),
  prompt: v.optional(
    textBlock(
      'The prompt of an agent, instead of `input_file`. `${…}` is substituted, complete even if truncated elsewhere.',
    ),
  ),
};
