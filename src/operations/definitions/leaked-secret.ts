import { credentialsIn } from '../../process/credentials.ts';
import { maskText } from '../../process/mask.ts';
import type { Problem } from '../problem.ts';
import type { Environment, Site } from '../site.ts';

/** Shorter values can occur in files by chance. */
const LEAK_LENGTH = 8;

/** Finds the value of a credential in the input of a run: it would be written to the journal. */
export function leakIn(
  { environment }: Pick<Site, 'environment'>,
  given: { readonly input: object; readonly secrets: readonly string[] },
): Problem | undefined {
  const leaked = leakedSecret(environment, given);
  if (leaked === undefined) return undefined;
  return { type: 'leaked-secret', variable: leaked };
}

function leakedSecret(
  environment: Environment,
  { input, secrets: names }: Parameters<typeof leakIn>[1],
): string | undefined {
  const text = JSON.stringify(input);
  return Object.entries(environment).find(([name, value = '']) => {
    const secrets = [...(names.includes(name) ? [value] : []), ...credentialsIn(name, value)];
    const long = secrets.filter(({ length }) => length >= LEAK_LENGTH);
    return maskText(text, long) !== text;
  })?.[0];
}
