import { credentialsIn } from '../../process/credentials.ts';
import { maskText } from '../../process/mask.ts';
import type { WorkflowInput } from '../../workflow/run/program.ts';
import { secretNames } from '../../workflow/secret-names.ts';
import type { Problem } from '../problem.ts';
import type { Environment, Site } from '../site.ts';

/** Shorter values can occur in files by chance. */
const LEAK_LENGTH = 8;

/** Finds the value of a credential in the input of a run: it would be written to the journal. */
export function leakIn(
  { environment }: Pick<Site, 'environment'>,
  input: WorkflowInput,
): Problem | undefined {
  const leaked = leakedSecret(environment, input);
  if (leaked === undefined) return undefined;
  return { type: 'leaked-secret', variable: leaked };
}

function leakedSecret(environment: Environment, input: WorkflowInput): string | undefined {
  const text = JSON.stringify(input);
  const names = secretNames(input.definition);
  return Object.entries(environment).find(([name, value = '']) => {
    const secrets = [...(names.includes(name) ? [value] : []), ...credentialsIn(name, value)];
    const long = secrets.filter(({ length }) => length >= LEAK_LENGTH);
    return maskText(text, long) !== text;
  })?.[0];
}
