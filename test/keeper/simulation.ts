/** A keeper in simulated time: runs start and end at once, and the keeper can be killed between any two things it does. */
import path from 'node:path';
import { makeRunFolder } from '../../src/engine/make-run-folder.ts';
import { createKeeper, type Keeper } from '../../src/keeper/keeper.ts';
import { hasRun } from '../../src/keeper/runs.ts';
import type { KeeperWorld } from '../../src/keeper/world.ts';
import { error, ok, type Result } from '../../src/model/result.ts';
import type { Problem } from '../../src/operations/problem.ts';
import type { Prepared } from '../../src/operations/run-plan.ts';
import type { Site } from '../../src/operations/site.ts';
import { runPaths } from '../../src/store/layout.ts';
import { temporarySite } from '../operations/site.ts';
import { writeFiles } from '../rig/temporary-folder.ts';

export class Killed extends Error {}

export class Simulation {
  readonly site: Site;
  readonly said: string[] = [];
  /** Runs that were started: when, and which. */
  readonly started: { readonly at: Date; readonly runId: string; readonly file: string }[] = [];
  /** Runs that do not end until the test ends them. */
  readonly open = new Map<string, () => Promise<void>>();
  holdsRuns = false;
  now: Date;
  /** Things the keeper may still do before it is killed. */
  lives = Number.POSITIVE_INFINITY;
  #keeper: Keeper | undefined;
  readonly #files: readonly string[];

  constructor(files: { readonly [name: string]: string }, now: string) {
    this.now = new Date(now);
    this.site = { ...temporarySite(), now: () => this.now };
    writeFiles(this.site.workspace, files);
    // Named by the user, and so trusted.
    this.#files = Object.keys(files).filter((name) => name.startsWith('workflows/'));
  }

  get keeper(): Keeper {
    if (this.#keeper === undefined) throw new Error('no keeper');
    return this.#keeper;
  }

  async start(): Promise<void> {
    this.lives = Number.POSITIVE_INFINITY;
    this.#keeper = createKeeper({
      site: this.site,
      world: this.#world(),
      files: this.#files,
      say: (text) => this.said.push(text),
    });
    const started = this.#keeper.start();
    if (started.type === 'error') throw new Error(started.error.type);
    await this.#keeper.look();
  }

  async stop(): Promise<void> {
    await this.#keeper?.stop();
    this.#keeper = undefined;
  }

  /** Lets the keeper look at this moment; true if it was killed. */
  async at(time: Date | string, lives = Number.POSITIVE_INFINITY): Promise<boolean> {
    this.now = new Date(time);
    this.lives = lives;
    try {
      await this.keeper.look();
      return false;
    } catch (cause) {
      if (!(cause instanceof Killed)) throw cause;
      await this.stop();
      return true;
    }
  }

  #world(): KeeperWorld {
    const live = (): void => {
      this.lives -= 1;
      if (this.lives < 0) throw new Killed();
    };
    return {
      now: () => {
        live();
        return this.now;
      },
      bootedAt: () => new Date(0),
      runLoops: async () => error({ type: 'run-not-started', reason: 'no loop is run here' }),
      sleep: (_until, { signal }) =>
        new Promise((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener('abort', () => resolve());
        }),
      start: async (prepared) => {
        live();
        const done = await this.#begin(prepared);
        live();
        return done;
      },
    };
  }

  /** A run folder appears once, as with a real process. */
  async #begin({ plan }: Prepared): Promise<Result<undefined, Problem>> {
    const { runId, workspace, begin } = plan;
    if (begin.type !== 'new') throw new Error('no run is resumed here');
    if (hasRun(workspace, runId)) return error({ type: 'run-held-elsewhere', reason: 'it is there already' });
    const at = this.now.toISOString();
    const { lock, journal } = makeRunFolder(runPaths(workspace, runId), [
      {
        ...{ type: 'run-started', at, runId, kind: 'workflow', title: plan.title, workspace },
        ...{ program: begin.program, input: begin.input, facts: begin.facts },
      },
    ]);
    const end = async (): Promise<void> => {
      await journal.append({ type: 'run-ended', at: this.now.toISOString(), status: 'completed' });
      journal.close();
      lock.release();
      this.open.delete(runId);
    };
    this.started.push({ at: this.now, runId, file: path.basename(String(begin.facts['workflow_file'])) });
    if (this.holdsRuns) this.open.set(runId, end);
    else await end();
    return ok(undefined);
  }
}

/** A workflow with one schedule. */
export function scheduled(entry: string): string {
  return `name: w\nschedule:\n  - ${entry}\nsteps:\n  - { name: A, command: [echo, a] }\n`;
}
