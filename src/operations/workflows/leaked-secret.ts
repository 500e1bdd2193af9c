import { credentialsIn } from '../../process/credentials.ts';
import { maskText } from '../../process/mask.ts';
import type { WorkflowInput } from '../../workflow/run/program.ts';
import { secretNames } from '../../workflow/secret-names.ts';
import { type Refused, refused } from '../problem.ts';
import type { Environment, Site } from '../site.ts';

/** Shorter values stand in files by chance. */
const LEAK_LENGTH = 8;

/** The input of a run holds the value of a credential, which would be written down with it. */
export function leakIn(
  { environment }: Pick<Site, 'environment'>,
  input: WorkflowInput,
): Refused | undefined {
  const leaked = leakedSecret(environment, input);
  if (leaked === undefined) return undefined;
  return refused(
    'invalid',
    `the value of the environment variable \`${leaked}\` stands in the workflow or in its context`,
    [
      'leave it in the environment and name it under `secrets:` of the steps that need it: then it reaches no file',
    ],
  );
}

function leakedSecret(environment: Environment, input: WorkflowInput): string | undefined {
  const text = JSON.stringify(input);
  const names = secretNames(input.definition);
  return Object.entries(environment).find(([name, value = '']) => {
    const secrets = [...(names.includes(name) ? [value] : []), ...credentialsIn(name, value)];
    const telling = secrets.filter(({ length }) => length >= LEAK_LENGTH);
    return maskText(text, telling) !== text;
  })?.[0];
}
