/**
 * `.orchestrate/engine.yaml`: whether and how runs of a workspace use several machines. The file may come from others, so whatever it makes
 * this machine run, or sends its files to, must be trusted.
 */
import fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { shownAddress } from '../../model/address.ts';
import { defined } from '../../model/defined.ts';
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts';
import {
  DEFAULT_LABEL,
  type EngineSettings,
  type EngineWorkspace,
  USUAL_PER_WORKER,
} from '../../model/engine-settings.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { checkRelativePath } from '../../store/safe-path.ts';
import type { FileKind } from '../../store/yaml/file-kind.ts';
import type { Places } from '../../store/yaml/places.ts';
import { readConfigFile } from '../../store/yaml/read-config-file.ts';
import { createReport, type Report } from '../../store/yaml/report.ts';
import { quoteWords } from '../../template/quote.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { mayRun } from '../trust/may-run.ts';
import type { Claim } from '../trust-book.ts';
import { type EngineSource, engine, HUB } from './engine-schema.ts';
import { ENGINE_CONFIG, engineConfigPath } from './places.ts';

const USUAL = {
  pollMs: 1000,
  deadAfterMs: 30_000,
  maxWorkerDeaths: 3,
  databaseEnv: 'ORCHESTRATE_DATABASE_URL',
};

const KIND: FileKind = {
  noun: 'configuration',
  emptyHelp: 'write `use: asked`, or remove the file',
  tooLargeHelp: 'it has only a few settings',
};

/** Undefined without the file. On failure, all diagnostics are returned. */
export function readEngineSettings(
  workspace: string,
): Result<EngineSettings | undefined, readonly Diagnostic[]> {
  const path = engineConfigPath(workspace);
  if (!fs.existsSync(path)) return ok(undefined);
  const place = { folder: dirname(path), path: basename(path), shown: ENGINE_CONFIG };
  const read = readConfigFile(place, KIND, engine);
  if (read.type === 'error') return read;
  const { source, places, diagnostics } = read.value;
  checkWorkspace(source, { places, report: createReport(diagnostics) });
  return hasErrors(diagnostics) ? error(diagnostics) : ok(settingsOf(source));
}

/** The settings, checked and trusted; without the file, the usual ones. */
export function engineSettings(site: Site): Result<EngineSettings, Problem> {
  const read = readEngineSettings(site.workspace);
  if (read.type === 'error') return error({ type: 'invalid-file', diagnostics: read.error });
  if (read.value === undefined) return ok(settingsOf({}));
  const may = mayRun(site, site.workspace, claimsOf(read.value));
  return may.type === 'ok' ? ok(read.value) : may;
}

/** Git would run some texts as programs, or take them for options. */
export function isHubAddress(text: string): boolean {
  return HUB.test(text);
}

interface Rules {
  readonly places: Places;
  readonly report: Report<'workflow/invalid-value'>;
}

function checkWorkspace(source: EngineSource, { places, report }: Rules): void {
  const { workspace } = source;
  if (workspace === undefined) return;
  const { git, folder } = workspace;
  if ((git === undefined) === (folder === undefined))
    report.error('workflow/invalid-value', places.valueRange(source, 'workspace'), {
      message: '`workspace` must have exactly one of `git` and `folder`',
    });
  const include = git?.include ?? [];
  for (const [index, pattern] of include.entries()) {
    if (checkRelativePath(pattern).type === 'ok') continue;
    report.error('workflow/invalid-value', places.valueRange(include, index), {
      message: `\`include\` is \`${pattern}\`, but must be inside the workspace`,
    });
  }
}

function settingsOf(source: EngineSource): EngineSettings {
  const labels = Object.entries(source.labels ?? {}).map(([name, given]) => {
    const { per_worker: perWorker = USUAL_PER_WORKER, at_once: atOnce, starts } = given;
    const rate = starts === undefined ? undefined : { limit: starts.limit, perMs: starts.per_sec * 1000 };
    return [name, { perWorker, ...defined({ atOnce, starts: rate }) }] as const;
  });
  return {
    use: source.use ?? 'asked',
    databaseEnv: source.database_env ?? USUAL.databaseEnv,
    labels: { [DEFAULT_LABEL]: { perWorker: USUAL_PER_WORKER }, ...Object.fromEntries(labels) },
    pollMs: source.poll_ms ?? USUAL.pollMs,
    deadAfterMs: source.dead_after_sec === undefined ? USUAL.deadAfterMs : source.dead_after_sec * 1000,
    maxWorkerDeaths: source.max_worker_deaths ?? USUAL.maxWorkerDeaths,
    ...defined({ workspace: workspaceOf(source) }),
  };
}

function workspaceOf({ workspace }: EngineSource): EngineWorkspace | undefined {
  if (workspace?.folder !== undefined) return { type: 'folder', folder: workspace.folder };
  if (workspace?.git === undefined) return undefined;
  const { hub, setup, include = [] } = workspace.git;
  return { type: 'git', hub, include, ...defined({ setup }) };
}

/** Who gets the journal and the files, and what is run. Limits and times only slow a run down. */
export function claimsOf({ use, databaseEnv, workspace }: EngineSettings): readonly Claim[] {
  const claim = (name: string, value: Claim['value'], shown?: string): Claim => ({
    ...{ name, value, file: ENGINE_CONFIG },
    ...defined({ shown }),
  });
  const always = use === 'always' ? [claim('use', use)] : [];
  const database = claim('database_env', databaseEnv, `the address in ${databaseEnv}`);
  return [...always, database, ...claimsOfWorkspace(workspace, claim)];
}

function claimsOfWorkspace(
  workspace: EngineWorkspace | undefined,
  claim: (name: string, value: Claim['value'], shown?: string) => Claim,
): readonly Claim[] {
  if (workspace === undefined) return [];
  if (workspace.type === 'folder') return [claim('workspace.folder', workspace.folder)];
  const { hub, setup, include } = workspace;
  return [
    claim('workspace.git.hub', hub, shownAddress(hub)),
    ...(setup === undefined ? [] : [claim('workspace.git.setup', [...setup], quoteWords(setup))]),
    ...(include.length === 0 ? [] : [claim('workspace.git.include', [...include], include.join(', '))]),
  ];
}
