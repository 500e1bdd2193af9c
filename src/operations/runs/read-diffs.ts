/** What the isolated work of a run changed: its patches, in the order in which they were saved; none if it changed nothing. */
import { join } from 'node:path';
import type { ChangedFile, CommitWorktreeOutput } from '../../effects/contracts.ts';
import type { JournalEvent } from '../../model/event.ts';
import { isJsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import { errnoOf } from '../../store/errno.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { readRunWithEvents } from './read-run.ts';

export interface WorkDiff {
  /** The key of the step, item or branch, or the id of the task. */
  readonly step: string;
  readonly branch: string;
  readonly files: readonly ChangedFile[];
  readonly patch: string;
}

export function readDiffs(
  site: Site,
  asked: { readonly run: string; readonly step?: string | undefined },
): Result<readonly WorkDiff[], Problem> {
  const run = readRunWithEvents(site, asked.run);
  if (run.type === 'error') return run;
  const { saved, unchanged } = savedWork(run.value.events);
  const names = [...saved.keys(), ...unchanged];
  const wanted = names.filter((name) => isMeant(name, asked.step));
  if (wanted.length === 0) {
    const meant = asked.step === undefined ? undefined : nearest(asked.step, names);
    return error({ type: 'no-diff', runId: run.value.runId, step: asked.step, near: meant });
  }
  return ok(wanted.flatMap((name) => diffOf(run.value.paths.directory, name, saved.get(name))));
}

/** A loop stands for its items. */
function isMeant(name: string, asked: string | undefined): boolean {
  return asked === undefined || name === asked || name.startsWith(`${asked}/`) || name.endsWith(`/${asked}`);
}

export function savedWork(events: readonly JournalEvent[]): SavedWork {
  const work = new SavedWork();
  for (const event of events) work.apply(event);
  return work;
}

/** What the events of a run say about saved work, one event at a time. */
export class SavedWork {
  readonly #names = new Map<string, string>();
  /** By name; the last one counts. */
  readonly saved = new Map<string, CommitWorktreeOutput>();
  /** Work that has ended and changed nothing. */
  readonly unchanged = new Set<string>();

  apply(event: JournalEvent): void {
    if (event.type === 'step-started' && event.effect === 'commit-worktree' && isJsonObject(event.input))
      this.#names.set(event.key, String(event.input['name']));
    if (event.type !== 'step-ended' || event.effect !== 'commit-worktree') return;
    const name = this.#names.get(event.key);
    const output = event.output as unknown as CommitWorktreeOutput;
    if (name === undefined) return;
    if (output.patch !== undefined) {
      this.saved.set(name, output);
      this.unchanged.delete(name);
    } else if (output.files?.length === 0 && !this.saved.has(name)) this.unchanged.add(name);
  }
}

export function diffOf(
  directory: string,
  step: string,
  output: CommitWorktreeOutput | undefined,
): readonly WorkDiff[] {
  const { patch: file, branch = '', files = [] } = output ?? {};
  if (file === undefined) return [];
  try {
    return [{ step, branch, files, patch: readPlainText(join(directory, file)) }];
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}
