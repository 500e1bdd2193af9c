/**
 * Brings a change into a checkout – its files, its index, its branch – next to whatever the user has there. One record in the run's folder
 * says what was decided and whether it is done.
 *
 * B1 Everything is calculated and recorded before the first byte changes. A conflict changes nothing.
 * B2 The order is files, index, branch: whatever a kill leaves, the user's next commit cannot undo the work.
 * B3 Repeating it brings what the record decided into what is there now. Files and entries that have it stay; a commit that the branch
 *    contains is not made again. A finished record is the answer.
 * B4 The user's uncommitted lines stay uncommitted, their staged ones staged. Without `commit` neither index nor branch is touched.
 */
import { join } from 'node:path';
import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { makeFolder } from '../store/make-folder.ts';
import { clearFolderAway } from '../store/remove-file.ts';
import { type BringRecord, readRecord, writeRecord } from './bring-record.ts';
import { type CommitWords, userCommit } from './commit-tree.ts';
import { failedGit, type GitEnd, gitFailure } from './git.ts';
import { headOf, type Repository, treeOf } from './repository.ts';
import { type Change, carryOver } from './three-way.ts';
import { copyIndex, entriesBetween, treeOfFiles, writtenTree } from './trees.ts';
import { lookAt, writeFiles } from './write-files.ts';
import { changeIndex } from './write-index.ts';

export interface BringInput {
  readonly repository: Repository;
  /** Absolute: the record of this one change. */
  readonly record: string;
  /** Absolute: a folder for temporary files, on the disk of the checkout. */
  readonly scratch: string;
  /** From the top: paths that are not looked at. */
  readonly except: readonly string[];
  /** Files that the change changes are looked at although git ignores them. */
  readonly alsoIgnored?: boolean | undefined;
  /** The files of the checkout have the change already: only a commit is made. */
  readonly isInFiles?: boolean;
  readonly commit?: CommitWords;
}

/** What to bring in. */
export interface WantedChange extends Change {
  /** From the top: what the caller has left out of it. */
  readonly left?: readonly string[];
}

export interface Brought {
  /** Omitted if nothing had to be committed. */
  readonly commit?: string;
  /** From the top: what the change changes. */
  readonly files: readonly string[];
  readonly left?: readonly string[];
}

/** The user may be saving files or committing at this moment. */
const MOST_TRIES = 5;

/** `change` is called only if there is no record yet. */
export async function bringIn(
  input: BringInput,
  change: () => Promise<Result<WantedChange, Failure>>,
): Promise<Result<Brought, Failure>> {
  const known = readRecord(input.record);
  if (known?.state === 'done') return ok(outcomeOf(known));
  clearFolderAway(input.scratch);
  makeFolder(input.scratch);
  try {
    const record = known === undefined ? await decide(input, change) : ok(known);
    return record.type === 'error' ? record : await carryOut(input, record.value);
  } finally {
    clearFolderAway(input.scratch);
  }
}

function outcomeOf({ head, files, left }: BringRecord): Brought {
  return { files, ...defined({ commit: head?.to, left }) };
}

/** B1 */
async function decide(
  input: BringInput,
  change: () => Promise<Result<WantedChange, Failure>>,
): Promise<Result<BringRecord, Failure>> {
  const { git } = input.repository;
  const wanted = await change();
  if (wanted.type === 'error') return wanted;
  const entries = await entriesBetween(git, wanted.value.from, wanted.value.to);
  if (entries.type === 'error') return entries;
  const inFiles = input.isInFiles === true ? ok(undefined) : await changeOfFiles(input, wanted.value);
  if (inFiles.type === 'error') return inFiles;
  const head =
    input.commit === undefined ? ok(undefined) : await newCommit(input, wanted.value, input.commit);
  if (head.type === 'error') return head;
  const inIndex = head.value === undefined ? ok(undefined) : await changeOfIndex(input, head.value.trees);
  if (inIndex.type === 'error') return inIndex;
  const record: BringRecord = {
    state: 'decided',
    files: entries.value.map(({ path }) => path),
    ...defined({
      left: wanted.value.left,
      inFiles: inFiles.value,
      inIndex: inIndex.value,
      head: head.value?.commits,
    }),
  };
  writeRecord(input.record, record);
  return ok(record);
}

async function changeOfFiles(input: BringInput, change: Change): Promise<Result<Change, Failure>> {
  const { git, top } = input.repository;
  const changed = input.alsoIgnored === true ? await entriesBetween(git, change.from, change.to) : ok([]);
  if (changed.type === 'error') return changed;
  const also = changed.value
    .map(({ path }) => path)
    .filter((path) => lookAt(join(top, path))?.isDirectory() === false);
  const now = await filesNow(input, also);
  if (now.type === 'error') return now;
  const then = await carryOver(git, change, now.value);
  return then.type === 'error' ? then : ok({ from: now.value, to: then.value });
}

function filesNow(
  { repository, scratch, except }: BringInput,
  also: readonly string[],
): Promise<Result<string, Failure>> {
  return treeOfFiles(repository, { index: join(scratch, 'index.files'), except, also });
}

interface NewCommit {
  readonly commits: { readonly from?: string; readonly to: string };
  readonly trees: Change;
}

/** Undefined if the branch has the change already. */
async function newCommit(
  { repository: { git } }: BringInput,
  change: Change,
  words: CommitWords,
): Promise<Result<NewCommit | undefined, Failure>> {
  const head = await headOf(git);
  const from = await treeOf(git, head);
  if (from.type === 'error') return from;
  const to = await carryOver(git, change, from.value);
  if (to.type === 'error')
    return to.error.type === 'conflict' ? error({ ...to.error, isUncommitted: true }) : to;
  if (to.value === from.value) return ok(undefined);
  const parents = head === undefined ? [] : [head];
  const commit = await userCommit(git, to.value, { ...words, parents });
  if (commit.type === 'error') return commit;
  return ok({
    commits: { ...defined({ from: head }), to: commit.value },
    trees: { from: from.value, to: to.value },
  });
}

async function changeOfIndex(input: BringInput, change: Change): Promise<Result<Change, Failure>> {
  const now = await indexNow(input);
  if (now.type === 'error') return now;
  const then = await carryOver(input.repository.git, change, now.value);
  if (then.type === 'error')
    return then.error.type === 'conflict' ? error({ ...then.error, isUncommitted: true }) : then;
  return ok({ from: now.value, to: then.value });
}

async function indexNow({ repository, scratch }: BringInput): Promise<Result<string, Failure>> {
  const index = join(scratch, 'index.own');
  copyIndex(repository, index);
  return writtenTree(repository.git, index);
}

/** B2, B3 */
async function carryOut(input: BringInput, record: BringRecord): Promise<Result<Brought, Failure>> {
  const written = record.inFiles === undefined ? ok(undefined) : await bringIntoFiles(input, record.inFiles);
  if (written.type === 'error') return written;
  const indexed = record.inIndex === undefined ? ok(undefined) : await bringIntoIndex(input, record.inIndex);
  if (indexed.type === 'error') return indexed;
  const moved = await moveBranch(input, record);
  if (moved.type === 'error') return moved;
  const done: BringRecord = { ...moved.value, state: 'done' };
  writeRecord(input.record, done);
  return ok(outcomeOf(done));
}

async function bringIntoFiles(input: BringInput, change: Change): Promise<Result<void, Failure>> {
  let inTheWay: readonly string[] = [];
  for (let tried = 0; tried < MOST_TRIES; tried += 1) {
    const now = await changeOfFiles(input, change);
    if (now.type === 'error') return now;
    const scratch = join(input.scratch, `files-${tried}`);
    makeFolder(scratch);
    const written = await writeFiles(input.repository, { ...now.value, scratch });
    if (written.type === 'error') return written;
    if (written.value.length === 0) return ok(undefined);
    inTheWay = written.value;
  }
  return error({ type: 'conflict', files: inTheWay, isUncommitted: true });
}

async function bringIntoIndex(input: BringInput, change: Change): Promise<Result<void, Failure>> {
  for (let tried = 0; tried < MOST_TRIES; tried += 1) {
    const now = await changeOfIndex(input, change);
    if (now.type === 'error') return now;
    const changed = await changeIndex(input.repository, now.value);
    if (changed.type === 'error' || changed.value) return changed.type === 'ok' ? ok(undefined) : changed;
  }
  return error(failedGit('kept changing the index while the work was merged'));
}

/** B3: a commit that is not in the branch is made again on top of what is, if it is still needed. */
async function moveBranch(input: BringInput, record: BringRecord): Promise<Result<BringRecord, Failure>> {
  const { git } = input.repository;
  let current = record;
  let refused: GitEnd | undefined;
  for (let tried = 0; tried < MOST_TRIES && current.head !== undefined; tried += 1) {
    const { from, to } = current.head;
    const isIn = await git(['merge-base', '--is-ancestor', to, 'HEAD']);
    if (isIn.exitCode === 0) return ok(current);
    const old = from ?? '0'.repeat(to.length);
    const moved = await git(['update-ref', '-m', 'orchestrate: merge', 'HEAD', to, old]);
    if (moved.exitCode === 0) return ok(current);
    refused = moved;
    const again = await againOnTop(input, current.head);
    if (again.type === 'error') return again;
    const { head: _, ...rest } = current;
    current = { ...rest, ...defined({ head: again.value?.commits }) };
    writeRecord(input.record, current);
  }
  if (current.head === undefined) return ok(current);
  const doing = 'move the current branch';
  return error(refused === undefined ? failedGit(`failed to ${doing}`) : gitFailure(doing, refused));
}

async function againOnTop(
  input: BringInput,
  { from, to }: { readonly from?: string; readonly to: string },
): Promise<Result<NewCommit | undefined, Failure>> {
  const { git } = input.repository;
  const before = await treeOf(git, from);
  if (before.type === 'error') return before;
  const after = await treeOf(git, to);
  if (after.type === 'error') return after;
  const words = await git(['log', '-1', '--format=%an <%ae>%n%B', to]);
  const [author = '', ...message] = words.stdout.split('\n');
  return newCommit(input, { from: before.value, to: after.value }, { author, message: message.join('\n') });
}
