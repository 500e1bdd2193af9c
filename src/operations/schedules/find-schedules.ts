/** The schedules of a workspace: those of the workflow files in `workflows/` and of files that are named. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { sha256 } from '../../model/sha256.ts';
import { canonicalJson } from '../../store/digest.ts';
import { namesIn } from '../../store/names-in.ts';
import type { ScheduleEntry } from '../../workflow/definition.ts';
import { loadWorkflow } from '../../workflow/load/load-workflow.ts';
import type { Site } from '../site.ts';

export interface Schedule {
  /** Changes with its times and values, so that an edited schedule starts from scratch. */
  readonly id: string;
  /** Workspace-relative. */
  readonly file: string;
  readonly workflow: string;
  readonly entry: ScheduleEntry;
}

export interface FoundSchedules {
  readonly schedules: readonly Schedule[];
  /** Files that cannot be used, each with its first error. */
  readonly invalid: readonly { readonly file: string; readonly problem: string }[];
}

const FOLDER = 'workflows';

/** Remembers files that have not changed. */
export class ScheduleFinder {
  readonly #known = new Map<string, { readonly stamp: string; readonly found: FoundSchedules }>();

  find(site: Pick<Site, 'workspace'>, files: readonly string[] = []): FoundSchedules {
    const schedules: Schedule[] = [];
    const invalid: FoundSchedules['invalid'][number][] = [];
    for (const file of new Set([...files, ...workflowFiles(site.workspace)])) {
      const found = this.#inFile(site, file);
      schedules.push(...found.schedules);
      invalid.push(...found.invalid);
    }
    return { schedules, invalid };
  }

  #inFile(site: Pick<Site, 'workspace'>, file: string): FoundSchedules {
    const stat = fs.statSync(join(site.workspace, file), { throwIfNoEntry: false });
    const stamp = stat === undefined ? 'missing' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    const known = this.#known.get(file);
    if (known?.stamp === stamp) return known.found;
    const found = readSchedules(site, file);
    this.#known.set(file, { stamp, found });
    return found;
  }
}

function workflowFiles(workspace: string): readonly string[] {
  return namesIn(join(workspace, FOLDER))
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => `${FOLDER}/${name}`);
}

function readSchedules({ workspace }: Pick<Site, 'workspace'>, file: string): FoundSchedules {
  const loaded = loadWorkflow(workspace, file, {});
  if (loaded.type === 'error') return { schedules: [], invalid: [{ file, problem: firstOf(loaded.error) }] };
  const { name, schedule = [] } = loaded.value.definition;
  return {
    schedules: schedule.map((entry) => ({ id: idOf(file, entry), file, workflow: name, entry })),
    invalid: [],
  };
}

function firstOf(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.find(({ severity }) => severity === 'error')?.message ?? 'it cannot be loaded';
}

function idOf(file: string, { cron, timezone, context }: ScheduleEntry): string {
  return `${file}@${sha256(canonicalJson({ cron, timezone: timezone ?? '', context })).slice(0, 8)}`;
}
