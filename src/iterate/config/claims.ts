/** Settings in a project's files, not set by the user, that run programs, notify addresses or write outside the project. */
import { relative } from 'node:path';
import { type JsonObject, type JsonValue, jsonText } from '../../model/json.ts';
import { isInside } from '../../store/relative-path.ts';
import type { Claim } from '../../store/trust.ts';
import { withValue } from './change.ts';
import { BUILTIN_AGENTS, CONFIG_KEYS } from './keys.ts';
import { type Config, flatten } from './layers.ts';

const FOLDERS = ['workspacesDir', 'templatesDir', 'archiveDir', 'reportsDir', 'globalTemplatesDir'] as const;
const OF_CLAUDE = ['claude.command', 'claude.args'] as const;
const OF_EVERY_AGENT = ['checks', 'notifyUrl'] as const;
/** With the values that take limits away. */
const FREEDOM: { readonly [key: string]: (value: JsonValue) => boolean } = {
  sandbox: (value) => value === 'off',
  network: (value) => value === 'full',
  allowHosts: (value) => !isEmpty(value),
  // It replaces the user's own rules.
  ask: () => true,
};
const PROGRAMS = ['agent', 'fallback', ...OF_CLAUDE, ...OF_EVERY_AGENT, ...Object.keys(FREEDOM)];

/** Settings that a project cannot set without being trusted; docs/security.md lists them. */
export const CLAIMED_KEYS: readonly string[] = [...PROGRAMS, ...FOLDERS];

/** Every loop setting in the project's files that names a program, arguments, an address or a folder outside. */
export function claimsOf(config: Config, projectRoot: string): readonly Claim[] {
  const agent = config.get<string>('agent');
  const fallback = config.get<readonly string[]>('fallback');
  const keys = [
    ...(isBuiltin(agent) ? [] : ['agent']),
    ...(fallback.every(isBuiltin) ? [] : ['fallback']),
    ...([agent, ...fallback].includes('claude') ? OF_CLAUDE : []),
    ...OF_EVERY_AGENT,
  ];
  return [
    ...keys.flatMap((key) => claimOf(config, projectRoot, key)).filter(({ value }) => !isEmpty(value)),
    ...Object.entries(FREEDOM).flatMap(([key, isFreer]) =>
      claimOf(config, projectRoot, key).filter(({ value }) => isFreer(value)),
    ),
    ...folderClaims(config, projectRoot),
  ];
}

/** Only the folders, which every command uses. */
export function folderClaims(config: Config, projectRoot: string): readonly Claim[] {
  return FOLDERS.filter((key) => !isInside(projectRoot, config.folder(key))).flatMap((key) =>
    claimOf(config, projectRoot, key),
  );
}

/** The document of a workspace without such settings, and the removed settings. */
export function withoutClaims(metadata: JsonObject): {
  readonly metadata: JsonObject;
  readonly dropped: readonly Pick<Claim, 'name' | 'value'>[];
} {
  const dropped: Pick<Claim, 'name' | 'value'>[] = [];
  let left = metadata;
  for (const key of PROGRAMS) {
    for (const place of [CONFIG_KEYS[key]?.metadataField, `config.${key}`]) {
      if (place === undefined) continue;
      for (let value = flatten(left)[place]; value !== undefined; value = flatten(left)[place]) {
        if (FREEDOM[key]?.(value) === false) break;
        if (key === 'agent' && isBuiltin(jsonText(value))) break;
        if (key === 'fallback' && Array.isArray(value) && value.every((each) => isBuiltin(jsonText(each))))
          break;
        dropped.push({ name: key, value });
        left = withValue(left, place, undefined);
      }
    }
  }
  return { metadata: left, dropped };
}

function claimOf(config: Config, projectRoot: string, key: string): readonly Claim[] {
  const { value, from, file } = config.setting(key);
  if (value === undefined || file === undefined || (from !== 'project' && from !== 'workspace')) return [];
  return [{ name: key, value, file: relative(projectRoot, file) }];
}

function isEmpty(value: JsonValue): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isBuiltin(agent: string): boolean {
  return BUILTIN_AGENTS.includes(agent);
}
