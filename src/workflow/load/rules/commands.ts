import { type Check, called, stepsOf } from './rule.ts';

/** A command line in one argument: a program without a folder, and something after it. */
const COMMAND_LINE = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*[ \t]+\S/;

/** `command: [npm test]` names a program with a space in its name; two arguments were meant. */
export function checkCommands(check: Check): void {
  for (const { step } of stepsOf(check)) {
    for (const key of ['command', 'command_override'] as const) {
      const argv = step[key];
      const [only = '', ...others] = argv ?? [];
      if (argv === undefined || others.length > 0 || !COMMAND_LINE.test(only)) continue;
      check.report.error('workflow/one-argument', check.file.places.valueRange(argv, 0), {
        message: `the \`${key}\` of ${called(step)} is one argument, \`${only}\`, which would be the name of a program`,
        help: `write each argument as an element of the list: \`[${only.trim().split(/\s+/).join(', ')}]\``,
      });
    }
  }
}
