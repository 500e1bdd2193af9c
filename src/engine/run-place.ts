/** The folders that a run works in, kept open meanwhile: before each step and at the end it is checked that they have not moved. */
import { defined } from '../model/defined.ts';
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

  /** Undefined if everything is in place. */
  problem(): Failure | undefined {
    const lost = [this.#workspace, this.#run].find((folder) => !folder.isInPlace());
    if (lost === undefined) return undefined;
    const to = lost.whereNow();
    return { type: 'moved', path: lost.path, ...defined({ to }) };
  }

  /** The run's current paths, if they can be determined. */
  pathsNow(): RunPaths | undefined {
    const directory = this.#run.whereNow();
    return directory === undefined ? undefined : runPathsIn(directory);
  }

  close(): void {
    this.#workspace.close();
    this.#run.close();
  }
}
