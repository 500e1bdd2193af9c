/**
 * The run's own folder on its host, as a ref of the hub: a later host and readers on other machines get their files from there.
 *
 * O1 It is brought there by one at a time: isolated work is settled at the same time as the run, and the ref must not go back to an earlier state.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { ok, type Result } from '../../model/result.ts';
import { isTemporary } from '../../store/temporary-name.ts';
import type { Clone } from './clone.ts';
import { commitPlainFiles } from './file-trees.ts';
import type { RefMove } from './hub.ts';
import { filesRef } from './hub-refs.ts';

/** What effects on the host need to be repeated: small, and rarely changed. Logs and the like are also with the calls. */
const NEEDED = ['moves.jsonl', 'merges', 'diffs', 'asks', 'program'];
/** Everything but what is rebuilt from rows, and the folders of worktrees. */
const WHOLE = [...NEEDED, 'logs', 'prompts', 'responses', 'cassettes', 'answers', 'notices.jsonl'];

export class RunFolder {
  readonly #clone: Clone;
  readonly #runId: string;
  readonly #folder: string;
  #saved: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** `folder`: absolute, of the run. */
  constructor(clone: Clone, runId: string, folder: string) {
    this.#clone = clone;
    this.#runId = runId;
    this.#folder = folder;
  }

  /** O1: `move` makes the moves that bring the hub up to date: none if nothing has changed since. */
  bring<Lost>(
    which: 'needed' | 'whole',
    move: (moves: readonly RefMove[]) => Promise<Result<Lost | undefined, Failure>>,
  ): Promise<Result<Lost | undefined, Failure>> {
    const done = this.#last.then(async () => {
      const moves = await this.#changed(which);
      if (moves.type === 'error') return moves;
      const moved = await move(moves.value);
      const [made] = moves.value;
      if (moved.type === 'ok' && moved.value === undefined && made !== undefined) this.#saved = made.to;
      return moved;
    });
    this.#last = done.catch(() => {});
    return done;
  }

  async #changed(which: 'needed' | 'whole'): Promise<Result<readonly RefMove[], Failure>> {
    const paths = (which === 'whole' ? WHOLE : NEEDED).flatMap((name) => this.#filesAt(name));
    if (paths.length === 0) return ok([]);
    const scratch = join(this.#clone.runs, `${this.#runId}.run`);
    const commit = await commitPlainFiles(this.#clone.git, { folder: this.#folder, paths }, scratch);
    if (commit.type === 'error') return commit;
    if (commit.value === this.#saved) return ok([]);
    return ok([{ ref: filesRef(this.#runId), to: commit.value, isForced: true }]);
  }

  #filesAt(name: string): readonly string[] {
    const stat = fs.lstatSync(join(this.#folder, name), { throwIfNoEntry: false });
    if (stat?.isFile() === true) return [name];
    return stat?.isDirectory() === true ? filesIn(this.#folder, name) : [];
  }
}

/** The plain files below a folder, relative to `root`: not those that another effect is just writing beside them, which are gone a moment later. */
export function filesIn(root: string, folder: string): readonly string[] {
  return fs
    .readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !isTemporary(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesIn(root, path);
      return entry.isFile() ? [path] : [];
    })
    .sort();
}
