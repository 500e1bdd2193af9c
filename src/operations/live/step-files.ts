/**
 * The files of a step: those that its isolated work changed, with the diff, and those that its proof checked. A step inside an isolated item
 * or branch has the changes of that item or branch. The journal is read in slices, and nothing is kept of it.
 */
import type { IndexRow } from '../../engine/index-row.ts';
import { isJsonObject } from '../../model/json.ts';
import { JournalTail, readRecordAt } from '../../store/journal-tail.ts';
import { diffOf, SavedWork, type WorkDiff } from '../runs/read-diffs.ts';
import type { LiveRun } from './live-run.ts';

export interface StepFile {
  /** Workspace-relative. */
  readonly path: string;
  /** `proven`: its proof checked that it is there. */
  readonly change: 'added' | 'modified' | 'deleted' | 'proven';
}

export interface StepFiles {
  readonly files: readonly StepFile[];
  /** Whether `diff` answers something. */
  readonly has_diff: boolean;
}

export async function readStepDiffs(run: LiveRun, row: IndexRow): Promise<readonly WorkDiff[]> {
  const work = new SavedWork();
  const { journal } = run.paths;
  await new JournalTail(journal).read((event, { offset }) => {
    // What a step was asked is left out while a journal is read in slices.
    const isNamed = event.type === 'step-started' && event.effect === 'commit-worktree';
    work.apply(isNamed ? (readRecordAt(journal, offset) ?? event) : event);
  });
  const names = [...work.saved.keys()];
  const below = names.filter((name) => name === row.key || name.startsWith(`${row.key}/`));
  const chosen = below.length > 0 ? below : names.filter((name) => row.key.startsWith(`${name}/`));
  return chosen.flatMap((name) => diffOf(run.paths.directory, name, work.saved.get(name)));
}

export async function readStepFiles(run: LiveRun, row: IndexRow): Promise<StepFiles> {
  const diffs = await readStepDiffs(run, row);
  const changed = diffs.flatMap(({ files }) => files.map(({ path, change }) => ({ path, change })));
  const known = new Set(changed.map(({ path }) => path));
  const proven = provenFiles(run, row).filter((path) => !known.has(path));
  return {
    files: [...changed, ...proven.map((path) => ({ path, change: 'proven' as const }))],
    has_diff: diffs.length > 0,
  };
}

function provenFiles({ paths }: LiveRun, { proofOffset }: IndexRow): readonly string[] {
  if (proofOffset === undefined) return [];
  try {
    const event = readRecordAt(paths.journal, proofOffset);
    const output = event?.type === 'step-ended' ? event.output : undefined;
    const files = isJsonObject(output) ? output['files'] : undefined;
    return Array.isArray(files) ? files.filter((file): file is string => typeof file === 'string') : [];
  } catch {
    // The journal is gone: the row says what is known.
    return [];
  }
}
