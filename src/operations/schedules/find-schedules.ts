/** The schedules of a workspace: those of the workflows in `workflows/` and of files that are named. Code is loaded only if it is named or trusted. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import { canonicalJson } from '../../store/digest.ts';
import { CODE_FILE, isModuleFile } from '../../store/module-file.ts';
import { namesIn } from '../../store/names-in.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { ScheduleEntry } from '../../workflow/definition.ts';
import { problemSentence } from '../describe-problem.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { type DeclaredSchedules, schedulesOf } from './schedules-of.ts';
import { mayStartAlone } from './trusted-workflows.ts';

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
  /** Workflows in code that may have a schedule, and are not loaded: nobody has named or trusted them. */
  readonly untrusted: readonly string[];
  /** Workflows in code that are being loaded: what they declare is not known yet. */
  readonly pending: readonly string[];
}

const FOLDER = 'workflows';
const NOTHING: FoundSchedules = { schedules: [], invalid: [], untrusted: [], pending: [] };
/** A file that took too long to load is tried again: the machine may have been busy. */
const AGAIN_MS = 10 * 60_000;

interface Known {
  /** Changes with the file and what it imports. */
  readonly stamp: string;
  readonly sources: readonly string[];
  readonly found: FoundSchedules;
  readonly untilMs?: number;
}

/** Code is loaded once, whoever looks. */
const LOADED = new Map<string, Known>();

/** Remembers files that have not changed. */
export class ScheduleFinder {
  readonly #known = new Map<string, Known>();

  async find(site: Site, files: readonly string[] = []): Promise<FoundSchedules> {
    const all = [...new Set([...files, ...workflowFiles(site.workspace)])];
    const found = await Promise.all(all.map((file) => this.#inFile(site, file, files.includes(file))));
    return {
      schedules: found.flatMap(({ schedules }) => schedules),
      invalid: found.flatMap(({ invalid }) => invalid),
      untrusted: found.flatMap(({ untrusted }) => untrusted),
      pending: found.flatMap(({ pending }) => pending),
    };
  }

  async #inFile(site: Site, file: string, isNamed: boolean): Promise<FoundSchedules> {
    const isCode = isModuleFile(file);
    const place = isCode ? LOADED : this.#known;
    const key = `${site.workspace}/${file}`;
    const known = place.get(key);
    if (known !== undefined && isCurrent(site, known)) return known.found;
    if (isCode && !mayDeclare(site, file)) return NOTHING;
    if (isCode && !isNamed && mayStartAlone(site, [file]).type === 'error')
      return { ...NOTHING, untrusted: [file] };
    const declared = await schedulesOf(site, { file });
    if (declared.type === 'error' && declared.error.type === 'code-is-being-loaded')
      return { ...NOTHING, pending: [file] };
    const sources = declared.type === 'ok' ? [...new Set([file, ...declared.value.sources])] : [file];
    const isTooSlow = declared.type === 'error' && declared.error.type === 'code-takes-too-long';
    place.set(key, {
      ...{ stamp: stampOf(site, sources), sources, found: foundIn(file, declared) },
      ...(isTooSlow ? { untilMs: performance.now() + AGAIN_MS } : {}),
    });
    return foundIn(file, declared);
  }
}

function isCurrent(site: Site, { stamp, sources, untilMs }: Known): boolean {
  return stampOf(site, sources) === stamp && (untilMs === undefined || performance.now() < untilMs);
}

function stampOf({ workspace }: Site, files: readonly string[]): string {
  return files
    .map((file) => {
      const stat = fs.statSync(join(workspace, file), { throwIfNoEntry: false });
      return stat === undefined ? 'missing' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    })
    .join('\n');
}

function workflowFiles(workspace: string): readonly string[] {
  return namesIn(join(workspace, FOLDER))
    .filter((name) => /\.ya?ml$/.test(name) || CODE_FILE.test(name))
    .map((name) => `${FOLDER}/${name}`);
}

/** A file without the word is not loaded for it. */
function mayDeclare({ workspace }: Site, file: string): boolean {
  try {
    return /\bschedule\b/.test(readPlainText(join(workspace, file)));
  } catch {
    return false;
  }
}

function foundIn(file: string, declared: Result<DeclaredSchedules, Problem>): FoundSchedules {
  if (declared.type === 'error')
    return { ...NOTHING, invalid: [{ file, problem: wordsFor(declared.error) }] };
  const { workflow, entries } = declared.value;
  return {
    ...NOTHING,
    schedules: entries.map((entry) => ({ id: idOf(file, entry), file, workflow, entry })),
  };
}

function wordsFor(problem: Problem): string {
  if (problem.type !== 'invalid-file') return problemSentence(problem);
  const first = problem.diagnostics.find(({ severity }) => severity === 'error');
  return first?.message ?? 'it cannot be loaded';
}

function idOf(file: string, { cron, timezone, context }: ScheduleEntry): string {
  return `${file}@${sha256(canonicalJson({ cron, timezone: timezone ?? '', context })).slice(0, 8)}`;
}

/** Whether the schedule is one of this file. */
export function isOfFile(scheduleId: string, file: string): boolean {
  return scheduleId.slice(0, scheduleId.lastIndexOf('@')) === file;
}
