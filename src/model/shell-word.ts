import type { Field } from './field.ts';
import { typedCommand } from './typed-command.ts';
import { isSuspect, visible } from './visible.ts';

/** A word quoted for a shell. Invisible characters are written as `$'\u202e'`, which bash and zsh read. */
export function shellWord(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./#-]+$/.test(word) && !word.startsWith('#')) return word;
  return isSuspect(word) || /[\n\t]/.test(word)
    ? `$'${visible(word.replace(/['\\\n\t]/g, escaped), escaped)}'`
    : `'${word.replaceAll("'", "'\\''")}'`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === "'" || character === '\\') return `\\${character}`;
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
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
