import fs from 'node:fs';
import type { Program } from '../../src/engine/durable.ts';
import { type RunEnd, type RunHost, resumeRun, startRun } from '../../src/engine/local-run.ts';
import type { RunEvent } from '../../src/model/event.ts';
import { createRunId, type RunId, type StepKey } from '../../src/model/ids.ts';
import { answerFile, type RunPaths, runPaths } from '../../src/store/layout.ts';
import type { Engine, TestEffects, World } from '../conformance/durable.ts';

/** The local engine as the conformance suite drives it: one run in a folder. */
export class LocalEngine implements Engine {
  readonly runId: RunId = createRunId(new Date(), Buffer.from('abcdef'));
  readonly paths: RunPaths;
  readonly events: RunEvent[] = [];
  /** Called when the program has ended, while the run still has its lock. */
  whileEnding: () => Promise<void> = async () => {};
  readonly #workspace: string;
  #stop = new AbortController();

  constructor(workspace: string) {
    this.#workspace = workspace;
    this.paths = runPaths(workspace, this.runId);
  }

  start(program: Program<TestEffects>, world: World): Promise<RunEnd> {
    return this.#ended(
      startRun(
        this.#host(program, world),
        {
          workspace: this.#workspace,
          runId: this.runId,
          kind: 'test',
          title: 'a test',
          program: 'main',
          input: null,
          facts: {},
        },
        this.#stop.signal,
      ),
    );
  }

  resume(program: Program<TestEffects>, world: World): Promise<RunEnd> {
    this.#stop = new AbortController();
    return this.#ended(
      resumeRun(
        this.#host(program, world),
        { workspace: this.#workspace, runId: this.runId },
        this.#stop.signal,
      ),
    );
  }

  interrupt(): void {
    this.#stop.abort({ type: 'interrupted', signal: 'SIGINT' });
  }

  cancel(): void {
    this.#stop.abort({ type: 'cancelled', endNow: new AbortController().signal });
  }

  async answer(key: string, choice: string): Promise<void> {
    fs.mkdirSync(this.paths.answers, { recursive: true });
    fs.writeFileSync(answerFile(this.paths, key as StepKey), JSON.stringify({ choice }));
  }

  #host(program: Program<TestEffects>, world: World): RunHost<TestEffects> {
    return {
      programs: { main: program },
      effects: world.effects,
      takeOver: async () => [],
      endLeftovers: async () => {
        await this.whileEnding();
        return [];
      },
      onEvent: (event) => this.events.push(event),
    };
  }

  async #ended(ended: ReturnType<typeof startRun>): Promise<RunEnd> {
    const result = await ended;
    if (result.type === 'error') throw new Error(JSON.stringify(result.error));
    return result.value;
  }
}
