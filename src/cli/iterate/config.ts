import { jsonText } from '../../model/json.ts';
import { changeSetting } from '../../operations/loops/change-setting.ts';
import {
  type ReadSetting,
  readConfig,
  readSetting,
  settingKeys,
} from '../../operations/loops/read-config.ts';

import { printableLine } from '../../report/text/printable.ts';
import { renderTable } from '../../report/text/table.ts';
import { refuse } from '../refuse.ts';
import { answerOf, type IterateCommand, sayTrustProblem } from './command.ts';

export interface ConfigFlags {
  readonly global?: boolean;
  readonly workspace?: string;
  readonly keys?: boolean;
  readonly list?: boolean;
  readonly json?: boolean;
  readonly add?: string;
  readonly remove?: string;
  readonly unset?: boolean;
}

/** Shows settings with their source, or changes one in a settings file. */
export async function config(
  command: IterateCommand,
  key: string | undefined,
  value: string | undefined,
  flags: ConfigFlags,
): Promise<void> {
  const { context, site, settings } = command;
  const { workspace, add, remove, unset } = flags;
  if (flags.global === true && workspace !== undefined) {
    refuse(context, { type: 'global-and-workspace' });
    return;
  }
  if (key === undefined || flags.keys === true) {
    const all = await answerOf(command, () => readConfig(site, { settings, workspace }));
    if (all !== undefined) context.out(flags.keys === true ? keysText(flags) : settingsText(all, flags));
    return;
  }
  const asked = { settings, workspace, key };
  if ([value, add, remove, unset].every((each) => each === undefined)) {
    const setting = await answerOf(command, () => readSetting(site, asked));
    if (setting !== undefined) context.out(settingText(setting, flags));
    return;
  }
  const changed = await answerOf(command, () =>
    changeSetting(site, { ...asked, value, add, remove, unset, isGlobal: flags.global }),
  );
  if (changed === undefined) return;
  sayTrustProblem(command, changed.trustProblem);
  const now = changed.value === undefined ? 'unset' : `= ${jsonText(changed.value)}`;
  context.out(`✓ ${key} ${now} (${changed.file})\n`);
  if (changed.runningPid !== undefined)
    context.err(
      `warning: \`${workspace}\` is running (process ${changed.runningPid}) and keeps its settings: the change takes effect in the next run. To change its limits now: claude-iterate set ${workspace} --help\n`,
    );
}

function settingText(setting: ReadSetting, { json }: ConfigFlags): string {
  if (json === true) return `${JSON.stringify({ ...setting, value: setting.value ?? null }, null, 2)}\n`;
  return `${setting.value === undefined ? 'not set' : valueText(setting)}  (${sourceText(setting)})\n`;
}

function settingsText(all: readonly ReadSetting[], { json }: ConfigFlags): string {
  if (json === true) {
    const entries = all.map(({ key, ...setting }) => [key, { ...setting, value: setting.value ?? null }]);
    return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
  }
  const rows = all.map((setting) => [setting.key, valueText(setting), sourceText(setting)]);
  return renderTable([{ title: 'KEY' }, { title: 'VALUE' }, { title: 'FROM' }], rows);
}

function keysText({ json }: ConfigFlags): string {
  const keys = settingKeys();
  if (json === true) return `${JSON.stringify(keys, null, 2)}\n`;
  return keys
    .map(({ key, type, summary, default: value }) => {
      const standard = value === null ? 'not set' : jsonText(value);
      return `${key}  (default: ${standard})\n  ${summary}\n  ${type}\n`;
    })
    .join('\n');
}

function valueText({ value }: ReadSetting): string {
  return value === undefined ? '-' : printableLine(jsonText(value));
}

function sourceText({ from, file }: ReadSetting): string {
  return file === undefined ? from : `${from}: ${file}`;
}
