/** Subcommands that save a setting: `npm config set NAME VALUE`, `gh alias set NAME CODE`. */
import { table } from './table.ts';

export interface SettingSubcommand {
  /** The words before the name of the setting. */
  readonly words: readonly string[];
  /** Names of settings whose value is run or selects what runs; absent: all. */
  readonly runs?: RegExp;
}

const NPM_RUNS =
  /shell|options|editor|viewer|browser|^git$|prefix|config|init|script|loader|plugin|registry|path/i;

const SETTINGS: ReadonlyMap<string, readonly SettingSubcommand[]> = table<readonly SettingSubcommand[]>({
  'npm pnpm yarn': [
    { words: ['config', 'set'], runs: NPM_RUNS },
    { words: ['c', 'set'], runs: NPM_RUNS },
    { words: ['set'], runs: NPM_RUNS },
    { words: ['pkg', 'set'] },
  ],
  gh: [
    { words: ['alias', 'set'] },
    { words: ['alias', 'import'] },
    { words: ['config', 'set'], runs: /editor|pager|browser|socket/ },
  ],
  go: [{ words: ['env', '-w'], runs: /./ }],
  'kubectl oc': [
    { words: ['config', 'set-credentials'] },
    { words: ['config', 'set'], runs: /exec|command/ },
  ],
  'poetry pip pip3': [{ words: ['config', 'set'] }],
});

export function settingsOf(program: string): readonly SettingSubcommand[] | undefined {
  return SETTINGS.get(program);
}
