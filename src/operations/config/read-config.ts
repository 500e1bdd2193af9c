/**
 * `config.yaml`: the settings for everything that runs in a workspace, in its `.orchestrate/`, and those of the user, in the user's own
 * folder. A setting of the workspace wins, except `notify`: both are notified, and `ask`: the rules of the user come first.
 */
import fs from 'node:fs';
import { basename, dirname } from 'node:path';
import type { AskRule } from '../../model/ask-rule.ts';
import { defineAsk } from '../../model/ask-schema.ts';
import { defined } from '../../model/defined.ts';
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts';
import type { NotifyChannel } from '../../model/notify.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { positionAt } from '../../model/source.ts';
import type { FileKind } from '../../store/yaml/file-kind.ts';
import { readConfigFile } from '../../store/yaml/read-config-file.ts';
import { createReport } from '../../store/yaml/report.ts';
import { defineNotify } from '../../workflow/load/define/define-notify.ts';
import { checkAskList } from '../../workflow/load/rules/ask.ts';
import { checkChannels } from '../../workflow/load/rules/notify.ts';
import type { Site } from '../site.ts';
import { userConfigPath, WORKSPACE_CONFIG, workspaceConfigPath } from './places.ts';
import { config } from './schema.ts';

/** What one file sets. */
export interface ConfigFile {
  readonly port?: number;
  readonly maxRuns?: number;
  readonly publicUrl?: string;
  readonly keep?: 'always' | 'never';
  readonly notify: readonly NotifyChannel[];
  /** Rules for the tool calls of agents. */
  readonly ask?: readonly AskRule[];
}

/** What both files add up to. */
export interface Config {
  readonly port?: number;
  readonly maxRuns: number;
  readonly publicUrl?: string;
  readonly keep: 'always' | 'never';
}

const USUAL_RUNS = 4;
const NOTHING: ConfigFile = { notify: [] };

const KIND: FileKind = {
  noun: 'configuration',
  emptyHelp: 'write `serve: {max_runs: 4}`, or remove the file',
  tooLargeHelp: 'it has only a few settings',
};

/** A file that does not exist sets nothing. On failure, all diagnostics are returned. */
export function readWorkspaceConfig(workspace: string): Result<ConfigFile, readonly Diagnostic[]> {
  return readFile(workspaceConfigPath(workspace), WORKSPACE_CONFIG);
}

/** The user's file may be a link to another folder of the user. */
export function readUserConfig(site: Pick<Site, 'environment'>): Result<ConfigFile, readonly Diagnostic[]> {
  const path = userConfigPath(site);
  return readFile(realPathOf(path), path);
}

export interface ReadConfig {
  readonly config: Config;
  /** A file with mistakes sets nothing. */
  readonly diagnostics: readonly Diagnostic[];
}

export function readConfig(site: Pick<Site, 'workspace' | 'environment'>): ReadConfig {
  const [own, user] = [readWorkspaceConfig(site.workspace), readUserConfig(site)];
  const all = { ...settingsOf(user), ...settingsOf(own) };
  const { port, maxRuns = USUAL_RUNS, publicUrl, keep = 'always' } = all;
  return {
    config: { maxRuns, keep, ...defined({ port, publicUrl }) },
    diagnostics: [own, user].flatMap((each) => (each.type === 'error' ? each.error : [])),
  };
}

function settingsOf(read: Result<ConfigFile, readonly Diagnostic[]>): Omit<ConfigFile, 'notify' | 'ask'> {
  const { notify: _, ask: _ask, ...settings } = read.type === 'ok' ? read.value : NOTHING;
  return settings;
}

/** The first error, as a sentence that names the file and the line. */
export function firstMistake(diagnostics: readonly Diagnostic[]): string | undefined {
  const found = diagnostics.find(({ severity }) => severity === 'error');
  if (found === undefined) return undefined;
  const { range, path, message } = found;
  const place =
    range === undefined ? (path ?? '') : `${range.file.path}:${positionAt(range.file, range.start).line}`;
  return `\`${place}\`: ${message}`;
}

function readFile(path: string, shown: string): Result<ConfigFile, readonly Diagnostic[]> {
  if (!fs.existsSync(path)) return ok(NOTHING);
  const read = readConfigFile({ folder: dirname(path), path: basename(path), shown }, KIND, config);
  if (read.type === 'error') return read;
  const { source, places, diagnostics } = read.value;
  checkChannels(source, { places, report: createReport(diagnostics) });
  checkAskList(source, { places, report: createReport(diagnostics) });
  if (hasErrors(diagnostics)) return error(diagnostics);
  const { serve, keep, notify, ask } = source;
  return ok({
    ...defined({ port: serve?.port, maxRuns: serve?.max_runs, publicUrl: serve?.public_url, keep }),
    notify: defineNotify(notify),
    ...(ask === undefined ? {} : { ask: defineAsk(ask) }),
  });
}

function realPathOf(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return path;
  }
}
