/** The folders that a run works in, held open while it does: that they are still where they were is asked before each step and at the end. */
import type { Failure } from '../model/failure.ts';
import { HeldFolder } from '../store/held-folder.ts';
import { type RunPaths, runPathsIn } from '../store/layout.ts';

export class RunPlace {
  readonly #workspace: HeldFolder;
  readonly #run: HeldFolder;

  constructor(workspace: string, paths: RunPaths) {
    this.#workspace = new HeldFolder(workspace);
    try {
      this.#run = new HeldFolder(paths.directory);
    } catch (cause) {
      this.#workspace.close();
      throw cause;
    }
  }

  /** Nothing where all is in place. */
  problem(): Failure | undefined {
    const lost = [this.#workspace, this.#run].find((folder) => !folder.isInPlace());
    if (lost === undefined) return undefined;
    const to = lost.whereNow();
    return { type: 'moved', path: lost.path, ...(to === undefined ? {} : { to }) };
  }

  /** Where the run's files are by now, if that can be told. */
  pathsNow(): RunPaths | undefined {
    const directory = this.#run.whereNow();
    return directory === undefined ? undefined : runPathsIn(directory);
  }

  close(): void {
    this.#workspace.close();
    this.#run.close();
  }
}
