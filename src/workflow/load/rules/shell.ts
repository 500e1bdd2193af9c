import { isInertVariable, mayNameProgram } from '../../../template/inert.ts';
import { parseCommand, shellScripts } from '../../../template/shell/command.ts';
import { referencesOf, type TemplateProblem } from '../../../template/template.ts';
import { PROMPT } from '../../definition.ts';
import type { Code } from '../codes.ts';
import type { CommandPlace } from '../texts.ts';
import type { Check } from './rule.ts';

/** No value of a variable may become code of a shell or another interpreter. */
export function checkShell(check: Check): void {
  for (const { commands } of check.texts) for (const command of commands) checkCommand(check, command);
  for (const provider of Object.values(check.file.source.providers ?? {})) {
    if (provider.command === undefined) continue;
    const argv = provider.command;
    const command = { argv, placeOf: (key: number) => ({ container: argv, key }) };
    checkCommand(check, command);
    checkPrompt(check, command);
  }
}

type Command = Pick<CommandPlace, 'argv' | 'placeOf'>;

function checkCommand(check: Check, command: Command): void {
  const { argv } = command;
  if (argv.every((argument) => isHarmless(check, argument))) return;
  const options = { isInert: isInertVariable, mayNameProgram, parse: check.parse };
  for (const problem of parseCommand(argv, options).problems) {
    report(check, command, problem);
  }
}

/** If no value can do harm, the script need not be read. */
function isHarmless(check: Check, argument: string): boolean {
  if (!argument.includes('$')) return true;
  const { template, problems } = check.parse(argument);
  return problems.length === 0 && referencesOf(template).every(isInertVariable);
}

/** The prompt is inserted without quoting, so unlike other values it is not allowed in a script. */
function checkPrompt(check: Check, command: Command): void {
  const { argv } = command;
  for (const index of shellScripts(argv)) {
    const references = referencesOf(check.parse(argv[index] ?? '').template);
    for (const { start, end } of references.filter((reference) => reference.text === PROMPT)) {
      report(check, command, {
        argument: index,
        code: 'template/value-as-code',
        message: `\`\${${PROMPT}}\` is inside a script, where the prompt would run as code`,
        start,
        end,
        help: `pass it as an argument, \`["bash", "-c", "… \\"$1\\" …", "bash", "\${${PROMPT}}"]\`, or set \`input_mode: stdin\``,
      });
    }
  }
}

function report(
  check: Check,
  { argv, placeOf }: Command,
  problem: TemplateProblem & { readonly argument: number },
): void {
  const { argument: index, start, end } = problem;
  const { container, key } = placeOf(index);
  const range = check.file.places.partRange(container, key, { text: argv[index] ?? '', start, end });
  check.report.error(problem.code as Code, range, { message: problem.message, help: problem.help });
}
