import { credentialsIn } from '../process/credentials.ts';
import { maskText } from '../process/mask.ts';
import type { WorkflowInput } from '../workflow/program.ts';
import { secretNames } from '../workflow/secret-names.ts';
import type { CliContext } from './context.ts';

/** Shorter values stand in files by chance. */
const LEAK_LENGTH = 8;

/** True: the input of a run holds the value of a credential, which would be written down with it; that has been said. */
export function tellsLeak(context: CliContext, input: WorkflowInput): boolean {
  const leaked = leakedSecret(input);
  if (leaked === undefined) return false;
  context.err(
    `error: the value of the environment variable \`${leaked}\` stands in the workflow or in its context\nhelp: leave it in the environment and name it under \`secrets:\` of the steps that need it: then it reaches no file\n`,
  );
  return true;
}

function leakedSecret(input: WorkflowInput): string | undefined {
  const text = JSON.stringify(input);
  const names = secretNames(input.definition);
  return Object.entries(process.env).find(([name, value = '']) => {
    const secrets = [...(names.includes(name) ? [value] : []), ...credentialsIn(name, value)];
    const telling = secrets.filter(({ length }) => length >= LEAK_LENGTH);
    return maskText(text, telling) !== text;
  })?.[0];
}
