import { dirname } from 'node:path';
import { type ConfigChange, changedValue, withValue } from '../../iterate/config/change.ts';
import type { ConfigKey } from '../../iterate/config/keys.ts';
import {
  flatten,
  loadConfig,
  parseConfigFile,
  projectConfigFile,
  userConfigFile,
} from '../../iterate/config/layers.ts';
import { parseValue } from '../../iterate/config/parse-value.ts';
import { holdsCredentials, shownSetting } from '../../iterate/notify-address.ts';
import { parseMetadata } from '../../iterate/workspace/metadata.ts';
import { problemText } from '../../iterate/workspace/problem-text.ts';
import { defined } from '../../model/defined.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { createDocument, type DocumentProblem, updateDocument } from '../../store/document.ts';
import { heldBy } from '../../store/lock.ts';
import { makeFolder } from '../../store/make-folder.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { knownKey, type OfSetting, type OpenedConfig, openConfig } from './read-config.ts';
import { openWorkspace } from './site/find-loop.ts';
import { trustSettings } from './site/trust-settings.ts';

/** Exactly one of the following four, as typed. */
export interface ChangeSetting extends OfSetting {
  readonly value?: string | undefined;
  /** Add to a list. */
  readonly add?: string | undefined;
  readonly remove?: string | undefined;
  readonly unset?: boolean | undefined;
  /** Change the user's settings instead of the project's. */
  readonly isGlobal?: boolean | undefined;
}

export interface SettingChanged {
  readonly key: string;
  readonly file: string;
  /** Without credentials. Absent if the setting was unset. */
  readonly value?: JsonValue;
  /** Why the user will still be asked to trust it. */
  readonly trustProblem?: string;
  /** The process that runs the workspace's loop, which keeps the settings it started with. */
  readonly runningPid?: number;
}

export async function changeSetting(
  site: Site,
  asked: ChangeSetting,
): Promise<Result<SettingChanged, Problem>> {
  const { key } = asked;
  const opened = openConfig(site, asked);
  if (opened.type === 'error') return opened;
  const known = knownKey(key);
  if (known.type === 'error') return known;
  const change = changeOf(known.value, asked);
  if (change.type === 'error') return error({ type: 'invalid-setting-value', key, reason: change.error });
  if (opened.value.workspace !== undefined && known.value.notInWorkspace === true)
    return error({ type: 'not-a-workspace-setting', key });
  const changed = await makeChange(opened.value, { asked, known: known.value, change: change.value });
  if (changed.type === 'error') return error({ type: 'setting-not-changed', reason: changed.error });
  const trustProblem = await trustChanged(site, opened.value);
  const { file, value } = changed.value;
  return ok({
    key,
    file,
    ...(change.value.type === 'unset' ? {} : { value: shownSetting(key, value ?? null) }),
    ...defined({ trustProblem, runningPid: runningIn(opened.value) }),
  });
}

function runningIn({ workspace }: OpenedConfig): number | undefined {
  return workspace === undefined ? undefined : heldBy(workspace.paths.lock)?.owner.pid;
}

function changeOf(
  known: ConfigKey,
  { value, add, remove, unset }: ChangeSetting,
): Result<ConfigChange, string> {
  const asked = [value, add, remove, unset].filter((each) => each !== undefined);
  if (asked.length > 1) return error('use only one of a value, --add, --remove and --unset');
  const element = add ?? remove;
  if (element !== undefined) {
    if (known.kind.type !== 'list') return error('not a list');
    const parsed = parseValue(known.kind.of, element);
    return parsed.type === 'error'
      ? parsed
      : ok({ type: add === undefined ? 'remove' : 'add', element: parsed.value });
  }
  if (value === undefined) return ok({ type: 'unset' });
  const parsed = parseValue(known.kind, value);
  return parsed.type === 'error' ? parsed : ok({ type: 'set', value: parsed.value });
}

interface Change {
  readonly asked: ChangeSetting;
  readonly known: ConfigKey;
  readonly change: ConfigChange;
}

interface Changed {
  readonly file: string;
  readonly value: JsonValue | undefined;
}

async function makeChange(
  { loops: { configSite }, workspace }: OpenedConfig,
  { asked: { key, isGlobal }, known, change }: Change,
): Promise<Result<Changed, string>> {
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
  const file = isGlobal === true ? userConfigFile(configSite) : projectConfigFile(configSite);
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

/** Trusts the settings as they are in the files now. */
async function trustChanged(site: Site, opened: OpenedConfig): Promise<string | undefined> {
  const { loops, workspace, config: before } = opened;
  const loaded = loadConfig(loops.configSite);
  if (loaded.type === 'error') return undefined;
  const reopened =
    workspace === undefined ? undefined : openWorkspace({ ...loops, config: loaded.value }, workspace.name);
  return trustSettings(site, before, reopened?.type === 'ok' ? reopened.value.config : loaded.value);
}
