/** Layers of settings, merged key by key: a file with one key hides no other. */
import os from 'node:os';
import { join, relative, resolve } from 'node:path';
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { type DocumentParser, loadDocument } from '../../store/document.ts';
import { ownPath, realPath } from '../../store/own-path.ts';
import { isInside } from '../../store/relative-path.ts';
import { configHome } from '../../store/user-folder.ts';
import type { Metadata } from '../workspace/metadata.ts';
import { problemText } from '../workspace/problem-text.ts';
import { CONFIG_KEYS, LAYERS, type Layer } from './keys.ts';
import { fits, kindText } from './kinds.ts';

export interface Setting {
  readonly value: JsonValue | undefined;
  readonly from: Layer;
  /** For a layer that is a file. */
  readonly file?: string;
}

export interface LayerValues {
  readonly layer: Layer;
  readonly file?: string;
  readonly values: { readonly [key: string]: JsonValue };
}

export interface ConfigSite {
  readonly projectRoot: string;
  readonly env: { readonly [name: string]: string | undefined };
}

const PROJECT_FILE = '.claude-iterate.json';

export function projectConfigFile(site: ConfigSite): string {
  return ownPath(site.projectRoot, PROJECT_FILE);
}

export function userConfigFolder(site: ConfigSite, platform: NodeJS.Platform = process.platform): string {
  return join(configHome(site.env, platform), 'claude-iterate');
}

/** Without symbolic links: users may keep their settings elsewhere. */
export function userConfigFile(site: ConfigSite): string {
  return realPath(join(userConfigFolder(site), 'config.json'));
}

/** A configuration file as leaves with dotted keys. A missing file counts as empty. */
function loadLayer(layer: Layer, file: string): Result<LayerValues, string> {
  const loaded = loadDocument(file, parseConfigFile);
  if (loaded.type === 'ok') return checkedLayer({ layer, file, document: loaded.value });
  if (loaded.error.type === 'missing') return ok({ layer, file, values: {} });
  return error(problemText(loaded.error));
}

export const parseConfigFile: DocumentParser<JsonObject> = (value) =>
  isJsonObject(value) ? ok(value) : error(['not a JSON object']);

export function workspaceLayer(metadata: Metadata, file: string): Result<LayerValues, string> {
  const checked = checkedLayer({ layer: 'workspace', file, document: (metadata.config ?? {}) as JsonObject });
  if (checked.type === 'error') return checked;
  const values = { ...checked.value.values };
  for (const [key, { metadataField }] of Object.entries(CONFIG_KEYS)) {
    const value = metadataField === undefined ? undefined : metadata[metadataField];
    if (value !== undefined) values[key] = value as JsonValue;
  }
  return ok({ ...checked.value, values });
}

/** Unknown keys are ignored: another version may know them. */
function checkedLayer(given: {
  readonly layer: Layer;
  readonly file: string;
  readonly document: JsonObject;
}): Result<LayerValues, string> {
  const problems: string[] = [];
  const values: { [key: string]: JsonValue } = {};
  for (const [key, value] of Object.entries(flatten(given.document))) {
    const known = Object.hasOwn(CONFIG_KEYS, key) ? CONFIG_KEYS[key] : undefined;
    if (known === undefined) continue;
    if (given.layer === 'workspace' && known.notInWorkspace === true) {
      problems.push(`\`${key}\` cannot be set for a single workspace`);
    } else if (fits(known.kind, value)) values[key] = value;
    else problems.push(`\`${key}\` must be ${kindText(known.kind)}`);
  }
  if (problems.length > 0) return error(`\`${given.file}\` is not valid: ${problems.join('; ')}`);
  return ok({ layer: given.layer, file: given.file, values });
}

/** `{claude: {args: []}}` → `{'claude.args': []}`: objects are descended to known keys. */
export function flatten(document: JsonObject): { readonly [key: string]: JsonValue } {
  const leaves: { [key: string]: JsonValue } = {};
  const walk = (value: JsonObject, path: string): void => {
    for (const [name, each] of Object.entries(value)) {
      if (each === undefined) continue;
      const key = path === '' ? name : `${path}.${name}`;
      if (isJsonObject(each) && !Object.hasOwn(CONFIG_KEYS, key)) walk(each, key);
      else leaves[key] = each;
    }
  };
  walk(document, '');
  return leaves;
}

/** Strongest layer first. */
export class Config {
  readonly #layers: readonly LayerValues[];
  readonly #site: ConfigSite;

  constructor(layers: readonly LayerValues[], site: ConfigSite) {
    this.#layers = layers;
    this.#site = site;
  }

  /** Returns the settings with these layers added in order. */
  with(...layers: readonly LayerValues[]): Config {
    const all = [...layers, ...this.#layers];
    return new Config(
      LAYERS.flatMap((name) => all.filter(({ layer }) => layer === name)),
      this.#site,
    );
  }

  setting(key: string): Setting {
    for (const { layer, file, values } of this.#layers) {
      const value = Object.hasOwn(values, key) ? values[key] : undefined;
      if (value !== undefined) return { value, from: layer, ...defined({ file }) };
    }
    return { value: this.#default(key), from: 'default' };
  }

  get<Value>(key: string): Value {
    return this.setting(key).value as Value;
  }

  /** A folder as an absolute path, with links resolved unless they lead out of the project. */
  folder(key: string): string {
    const written = this.get<string>(key);
    const home = this.#site.env['HOME'] || os.homedir();
    const { projectRoot } = this.#site;
    const path = resolve(projectRoot, written.replace(/^~(?=\/|$)/, home));
    return isInside(projectRoot, path)
      ? ownPath(projectRoot, relative(projectRoot, path) || '.')
      : realPath(path);
  }

  #default(key: string): JsonValue | undefined {
    if (key === 'globalTemplatesDir') return join(userConfigFolder(this.#site), 'templates');
    return CONFIG_KEYS[key]?.default;
  }
}

export function loadConfig(site: ConfigSite): Result<Config, string> {
  const project = loadLayer('project', projectConfigFile(site));
  if (project.type === 'error') return project;
  const user = loadLayer('user', userConfigFile(site));
  if (user.type === 'error') return user;
  return ok(new Config([project.value, user.value], site));
}
