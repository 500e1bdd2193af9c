import { dirname } from 'node:path';
import { type ConfigChange, changedValue, withValue } from '../../iterate/config/change.ts';
import { CONFIG_KEYS, type ConfigKey } from '../../iterate/config/keys.ts';
import { kindText } from '../../iterate/config/kinds.ts';
import {
  type Config,
  flatten,
  loadConfig,
  parseConfigFile,
  projectConfigFile,
  type Setting,
  unknownKey,
  userConfigFile,
} from '../../iterate/config/layers.ts';
import { holdsCredentials, shownSetting } from '../../iterate/config/notify-address.ts';
import { parseValue } from '../../iterate/config/parse-value.ts';
import { parseMetadata } from '../../iterate/workspace/metadata.ts';
import { problemText } from '../../iterate/workspace/problem-text.ts';
import { type JsonObject, type JsonValue, jsonText } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { printableLine } from '../../report/text/printable.ts';
import { renderTable } from '../../report/text/table.ts';
import { createDocument, type DocumentProblem, updateDocument } from '../../store/document.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { type IterateSite, type OpenedWorkspace, openWorkspace, refuse, trustSettings } from './site/site.ts';

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

/** Settings shown with where they come from, or changed in one of the files. */
export async function config(
  site: IterateSite,
  key: string | undefined,
  value: string | undefined,
  flags: ConfigFlags,
): Promise<void> {
  const { context } = site;
  if (flags.global === true && flags.workspace !== undefined)
    return refuse(context, 'Use only one of --global and --workspace.');
  const workspace = flags.workspace === undefined ? undefined : openWorkspace(site, flags.workspace);
  if (flags.workspace !== undefined && workspace === undefined) return;
  if (flags.keys === true) return listKeys(site, flags);
  const effective = workspace?.config ?? site.config;
  if (key === undefined) return listSettings(site, effective, flags);
  const known = Object.hasOwn(CONFIG_KEYS, key) ? CONFIG_KEYS[key] : undefined;
  if (known === undefined) return refuse(context, unknownKey(key), 'claude-iterate config --keys');
  const change = changeOf(known, value, flags);
  if (change.type === 'error') return refuse(context, `\`${key}\`: ${change.error}`);
  if (change.value === undefined) return showSetting(site, { key, setting: effective.setting(key), flags });
  if (workspace !== undefined && known.notInWorkspace === true)
    return refuse(context, `\`${key}\` cannot be set for one workspace`);
  const changed = await makeChange(site, { key, known, change: change.value, flags, workspace });
  if (changed.type === 'error') return refuse(context, changed.error);
  await trustChanged(site, effective, workspace);
  context.out(
    `✓ ${key} ${change.value.type === 'unset' ? 'unset' : `= ${jsonText(shownSetting(key, changed.value.value ?? null))}`} (${changed.value.file})\n`,
  );
}

/** As the files are now. */
async function trustChanged(
  site: IterateSite,
  before: Config,
  workspace: OpenedWorkspace | undefined,
): Promise<void> {
  const loaded = loadConfig(site.configSite);
  if (loaded.type === 'error') return;
  const anew =
    workspace === undefined ? undefined : openWorkspace({ ...site, config: loaded.value }, workspace.name);
  await trustSettings(site, before, anew?.config ?? loaded.value);
}

/** Nothing: it is only to be shown. */
function changeOf(
  known: ConfigKey,
  value: string | undefined,
  flags: ConfigFlags,
): Result<ConfigChange | undefined, string> {
  const asked = [value, flags.add, flags.remove, flags.unset].filter((each) => each !== undefined);
  if (asked.length > 1) return error('use only one of a value, --add, --remove and --unset');
  if (flags.unset === true) return ok({ type: 'unset' });
  const element = flags.add ?? flags.remove;
  if (element !== undefined) {
    if (known.kind.type !== 'list') return error('it is no list');
    const parsed = parseValue(known.kind.of, element);
    return parsed.type === 'error'
      ? parsed
      : ok({ type: flags.add === undefined ? 'remove' : 'add', element: parsed.value });
  }
  if (value === undefined) return ok(undefined);
  const parsed = parseValue(known.kind, value);
  return parsed.type === 'error' ? parsed : ok({ type: 'set', value: parsed.value });
}

interface Change {
  readonly key: string;
  readonly known: ConfigKey;
  readonly change: ConfigChange;
  readonly flags: ConfigFlags;
  readonly workspace: OpenedWorkspace | undefined;
}

interface Changed {
  readonly file: string;
  readonly value: JsonValue | undefined;
}

async function makeChange(site: IterateSite, asked: Change): Promise<Result<Changed, string>> {
  const { key, known, change, flags, workspace } = asked;
  let value: JsonValue | undefined;
  if (workspace !== undefined) {
    const file = workspace.paths.metadata;
    const place = known.metadataField ?? `config.${key}`;
    const updated = await updateDocument(
      file,
      parseMetadata,
      (metadata) => {
        const before =
          known.metadataField === undefined
            ? flatten((metadata.config ?? {}) as JsonObject)[key]
            : metadata[known.metadataField];
        value = changedValue(before as JsonValue | undefined, change);
        return withValue(metadata as unknown as JsonObject, place, value) as unknown as typeof metadata;
      },
      { isPrivate: holdsCredentials },
    );
    return updated.type === 'ok' ? ok({ file, value }) : error(problemText(updated.error));
  }
  const file = flags.global === true ? userConfigFile(site.configSite) : projectConfigFile(site.configSite);
  makeFolder(dirname(file));
  const created: Result<unknown, DocumentProblem> = await createDocument(file, {});
  if (created.type === 'error' && created.error.type !== 'exists') return error(problemText(created.error));
  const updated = await updateDocument(
    file,
    parseConfigFile,
    (document) => {
      value = changedValue(flatten(document)[key], change);
      return withValue(document, key, value);
    },
    { isPrivate: holdsCredentials },
  );
  return updated.type === 'ok' ? ok({ file, value }) : error(problemText(updated.error));
}

function showSetting(
  { context }: IterateSite,
  shown: { readonly key: string; readonly setting: Setting; readonly flags: ConfigFlags },
): void {
  const { key, setting, flags } = shown;
  if (flags.json === true)
    context.out(
      `${JSON.stringify({ key, ...setting, value: shownSetting(key, setting.value ?? null) }, null, 2)}\n`,
    );
  else context.out(`${valueText(key, setting)}  (${sourceText(setting)})\n`);
}

function listSettings({ context }: IterateSite, effective: Config, flags: ConfigFlags): void {
  const settings = Object.keys(CONFIG_KEYS).map((key) => ({ key, setting: effective.setting(key) }));
  if (flags.json === true) {
    const entries = settings.map(({ key, setting }) => [
      key,
      { ...setting, value: shownSetting(key, setting.value ?? null) },
    ]);
    context.out(`${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
    return;
  }
  const rows = settings.map(({ key, setting }) => [key, valueText(key, setting), sourceText(setting)]);
  context.out(renderTable([{ title: 'KEY' }, { title: 'VALUE' }, { title: 'FROM' }], rows));
}

function listKeys({ context }: IterateSite, flags: ConfigFlags): void {
  const keys = Object.entries(CONFIG_KEYS);
  if (flags.json === true) {
    const rows = keys.map(([key, { kind, summary, default: value }]) => ({
      key,
      type: kindText(kind),
      default: value ?? null,
      summary,
    }));
    context.out(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const rows = keys.map(([key, { kind, summary }]) => [key, kindText(kind), summary]);
  context.out(renderTable([{ title: 'KEY' }, { title: 'TYPE' }, { title: 'WHAT IT IS' }], rows));
}

function valueText(key: string, { value }: Setting): string {
  return value === undefined ? '-' : printableLine(jsonText(shownSetting(key, value)));
}

function sourceText({ from, file }: Setting): string {
  return file === undefined ? from : `${from}: ${file}`;
}
