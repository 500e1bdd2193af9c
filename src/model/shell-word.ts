import type { Field } from './field.ts';
import { typedCommand } from './typed-command.ts';

/** A word quoted for a shell. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./#-]+$/.test(word) && !word.startsWith('#')
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The commands that answer a question of a run: one per choice, with the fields that need a value. */
export function approveCommands(
  runId: string,
  key: string,
  { choices, fields = [] }: { readonly choices: readonly string[]; readonly fields?: readonly Field[] },
): readonly string[] {
  const asked = fields.filter(({ required }) => required).map(({ name }) => ` --set ${name}=…`);
  const command = typedCommand(`approve ${runId} ${shellWord(key)}`);
  return choices.length === 0
    ? [`${command}${asked.join('')}`]
    : choices.map((choice) => `${command} --choose ${shellWord(choice)}${asked.join('')}`);
}
