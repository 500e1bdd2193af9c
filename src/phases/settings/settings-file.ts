/** A settings file of Claude Code and what was inserted: `<folder>/state/hook-install.json` records the insertions. */

import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoWords } from '../../model/describe-failure.ts';
import { isJsonObject, type JsonValue, parseJson, parseJsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { errnoOf } from '../../store/errno.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { ownPath, realPath } from '../../store/own-path.ts';
import { readPlainText } from '../../store/plain-file.ts';
import { removeFile, removeIfEmpty } from '../../store/remove-file.ts';
import { findHooks } from './hooks.ts';
import { addHooks, readRoot, removeHooks, takeBack } from './merge.ts';

export const SCOPES = ['project', 'local', 'user'] as const;
export type Scope = (typeof SCOPES)[number];

export interface SettingsFile {
  readonly scope: Scope;
  /** Without symbolic links. */
  readonly path: string;
  /** The folder of the record of insertions. */
  readonly state: string;
}

export function settingsFile(
  scope: Scope,
  folders: { readonly workspace: string; readonly claudeHome: string },
): SettingsFile {
  const { workspace, claudeHome } = folders;
  switch (scope) {
    case 'project':
      return inProject(scope, workspace, 'settings.json');
    case 'local':
      return inProject(scope, workspace, 'settings.local.json');
    case 'user': {
      // Users may keep their settings elsewhere.
      const home = realPath(claudeHome);
      return { scope, path: realPath(join(home, 'settings.json')), state: join(home, 'state') };
    }
    default:
      return unreachable(scope);
  }
}

function inProject(scope: Scope, workspace: string, name: string): SettingsFile {
  const path = ownPath(workspace, `.claude/${name}`);
  return { scope, path, state: ownPath(workspace, '.claude/state') };
}

interface Remembered {
  readonly inserted: readonly string[];
  /** The file did not exist before. */
  readonly isNew?: boolean;
}

export type Installed = 'installed' | 'already-installed';

export function install(file: SettingsFile, program: string): Result<Installed, string> {
  return guarded(file, () => {
    const text = readIfThere(file.path);
    const added = addHooks(text ?? '{}\n', program);
    if (added.type === 'error') return added;
    if (added.value.inserted.length === 0) return ok('already-installed');
    makeFolder(dirname(memory(file)));
    const before = remembered(file);
    remember(file, {
      inserted: [...(before?.inserted ?? []), ...added.value.inserted],
      ...(text === undefined || before?.isNew === true ? { isNew: true } : {}),
    });
    replaceFile(file.path, added.value.text, { mode: modeOf(file.path) });
    return ok('installed');
  });
}

export type Uninstalled = 'uninstalled' | 'not-installed';

export function uninstall(file: SettingsFile): Result<Uninstalled, string> {
  return guarded(file, () => {
    const text = readIfThere(file.path);
    const known = remembered(file);
    if (text === undefined) {
      forget(file);
      return ok('not-installed');
    }
    const exact = known === undefined ? undefined : takeBack(text, known.inserted);
    const rest = exact === undefined ? removeHooks(text) : ok(exact);
    if (rest.type === 'error') return rest;
    if (rest.value === text) {
      forget(file);
      return ok('not-installed');
    }
    if (known?.isNew === true && rest.value.replace(/\s/g, '') === '{}') removeFile(file.path);
    else replaceFile(file.path, rest.value, { mode: modeOf(file.path) });
    forget(file);
    return ok('uninstalled');
  });
}

/** The hooks in the file by event; empty if it cannot be read. */
export function installedHooks(
  file: SettingsFile,
): readonly { readonly event: string; readonly command: string }[] {
  const text = readIfThere(file.path);
  if (text === undefined) return [];
  const root = readRoot(text);
  if (root.type === 'error') return [];
  return findHooks(root.value).map(({ plan, command }) => ({ event: plan.event, command }));
}

function memory(file: SettingsFile): string {
  return join(file.state, 'hook-install.json');
}

/** Shared by the scopes of one folder. */
function allRemembered(file: SettingsFile): { readonly [scope: string]: Remembered } {
  try {
    const value: unknown = parseJson(readPlainText(memory(file)));
    return isJsonObject(value) ? (value as unknown as { readonly [scope: string]: Remembered }) : {};
  } catch {
    return {};
  }
}

function remembered(file: SettingsFile): Remembered | undefined {
  const known = allRemembered(file)[file.scope];
  return Array.isArray(known?.inserted) && known.inserted.every((each) => typeof each === 'string')
    ? known
    : undefined;
}

/** A foreign file of that name is left alone; then nothing is recorded. */
function isForeign(file: SettingsFile): boolean {
  const text = readIfThere(memory(file));
  if (text === undefined) return false;
  const isKnown = (value: JsonValue | undefined): boolean =>
    isJsonObject(value) && Array.isArray(value['inserted']);
  const all = parseJsonObject(text);
  return all === undefined || !Object.values(all).every(isKnown);
}

function remember(file: SettingsFile, known: Remembered): void {
  if (isForeign(file)) return;
  const all = { ...allRemembered(file), [file.scope]: known };
  replaceFile(memory(file), `${JSON.stringify(all, null, 2)}\n`, { mode: 0o644 });
}

/** Removes folders that are now empty. */
function forget(file: SettingsFile): void {
  if (isForeign(file)) return;
  const { [file.scope]: _gone, ...rest } = allRemembered(file);
  if (Object.keys(rest).length > 0) {
    replaceFile(memory(file), `${JSON.stringify(rest, null, 2)}\n`, { mode: 0o644 });
    return;
  }
  removeFile(memory(file));
  for (const folder of [file.state, dirname(file.state)]) {
    removeIfEmpty(folder);
  }
}

function guarded<Value>(file: SettingsFile, act: () => Result<Value, string>): Result<Value, string> {
  try {
    const done = act();
    return done.type === 'ok' ? done : error(`\`${file.path}\` cannot be used: ${done.error}`);
  } catch (cause) {
    return error(`\`${file.path}\` cannot be used: ${errnoWords(errnoOf(cause))}`);
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readPlainText(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

function modeOf(path: string): number {
  const mode = fs.statSync(path, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? 0o644 : mode & 0o777;
}
