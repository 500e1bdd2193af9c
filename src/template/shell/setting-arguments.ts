import { type CommandShape, fillRoles, wordAt } from './command-shape.ts';
import type { SettingSubcommand } from './programs/settings.ts';

/** Which words of `npm config set NAME VALUE` are code: all, if the setting is run or its name is not known. */
export function settingArguments(
  shape: CommandShape,
  settings: readonly SettingSubcommand[],
  from: number,
): void {
  const known = settings.find(({ words }) =>
    words.every((word, index) => wordAt(shape, from + index).literal === word),
  );
  if (known === undefined) return;
  const start = from + known.words.length;
  const at = shape.words.findIndex(({ literal }, index) => index >= start && !literal?.startsWith('-'));
  if (at === -1) return;
  const { literal, prefix } = wordAt(shape, at);
  // `npm config set NAME=VALUE`
  const name = literal ?? (/^([^=]+)=/.exec(prefix)?.[1] || undefined);
  if (known.runs === undefined || name === undefined || known.runs.test(name.split('=', 1)[0] ?? ''))
    fillRoles(shape, start, 'code');
  else fillRoles(shape, at, 'data');
}
