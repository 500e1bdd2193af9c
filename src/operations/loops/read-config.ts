import { CONFIG_KEYS, type ConfigKey } from '../../iterate/config/keys.ts';
import { kindText } from '../../iterate/config/kinds.ts';
import type { Config, Setting } from '../../iterate/config/layers.ts';
import { shownSetting } from '../../iterate/notify-address.ts';
import type { JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { type OpenedWorkspace, openWorkspace } from './site/find-loop.ts';
import { type Loops, type OfLoops, openSettings } from './site/loops.ts';

export interface OfConfig extends OfLoops {
  /** The workspace to show. Default: the settings shared by all. */
  readonly workspace?: string | undefined;
}

export interface OfSetting extends OfConfig {
  readonly key: string;
}

/** Without credentials, and with its source. */
export interface ReadSetting extends Setting {
  readonly key: string;
}

export interface SettingKey {
  readonly key: string;
  readonly type: string;
  readonly default: JsonValue;
  readonly summary: string;
}

export interface OpenedConfig {
  readonly loops: Loops;
  readonly workspace?: OpenedWorkspace;
  /** The workspace, if one was named. */
  readonly config: Config;
}

export function readConfig(site: Site, asked: OfConfig): Result<readonly ReadSetting[], Problem> {
  const opened = openConfig(site, asked);
  if (opened.type === 'error') return opened;
  return ok(Object.keys(CONFIG_KEYS).map((key) => shown(opened.value.config, key)));
}

export function readSetting(site: Site, asked: OfSetting): Result<ReadSetting, Problem> {
  const opened = openConfig(site, asked);
  if (opened.type === 'error') return opened;
  const known = knownKey(asked.key);
  return known.type === 'ok' ? ok(shown(opened.value.config, asked.key)) : known;
}

/** Every setting. */
export function settingKeys(): readonly SettingKey[] {
  return Object.entries(CONFIG_KEYS).map(([key, { kind, summary, default: value }]) => ({
    key,
    type: kindText(kind),
    default: value ?? null,
    summary,
  }));
}

export function openConfig(site: Site, asked: OfConfig): Result<OpenedConfig, Problem> {
  const loops = openSettings(site, asked);
  if (loops.type === 'error') return loops;
  if (asked.workspace === undefined) return ok({ loops: loops.value, config: loops.value.config });
  const workspace = openWorkspace(loops.value, asked.workspace);
  if (workspace.type === 'error') return workspace;
  return ok({ loops: loops.value, workspace: workspace.value, config: workspace.value.config });
}

export function knownKey(key: string): Result<ConfigKey, Problem> {
  const known = Object.hasOwn(CONFIG_KEYS, key) ? CONFIG_KEYS[key] : undefined;
  return known === undefined
    ? error({ type: 'unknown-loop-setting', key, near: nearest(key, Object.keys(CONFIG_KEYS)) })
    : ok(known);
}

function shown(config: Config, key: string): ReadSetting {
  const setting = config.setting(key);
  return { key, ...setting, value: shownSetting(key, setting.value) };
}
