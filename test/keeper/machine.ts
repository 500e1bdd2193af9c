/** A machine with runs that begin, wait, and are ended together. */
import { expect } from 'vitest';
import { type Ended, type Started, type StartOptions, until, Workspace } from '../rig/orchestrate.ts';

/** Notes that it began, and waits for the machine to be up again. */
export const HOLD = (name: string): string =>
  `echo ${name} >> begun; until [ -e up ]; do sleep 0.02; done; echo ${name} >> done`;

export class Machine extends Workspace {
  readonly processes = new Map<string, Started>();

  lines(file: string): readonly string[] {
    return this.has(file) ? this.read(file).trimEnd().split('\n') : [];
  }

  async ok(argv: readonly string[]): Promise<void> {
    const ended = await this.run(argv);
    expect(ended.exitCode, `${argv.join(' ')}\n${ended.stderr}`).toBe(0);
  }

  /** Starts a command and returns the id of its run. */
  async begin(
    name: string,
    argv: readonly string[],
    isThere: () => boolean,
    options: StartOptions = {},
  ): Promise<string> {
    const before = new Set(this.runs());
    const started = this.start(argv, options);
    this.processes.set(name, started);
    let end: Ended | undefined;
    void started.ended.then((ended) => {
      end = ended;
    });
    const hasBegun = () => this.runs().some((id) => !before.has(id)) && isThere();
    await until(() => hasBegun() || end !== undefined);
    expect(hasBegun(), `${argv.join(' ')}\n${end?.stderr}`).toBe(true);
    return this.runs().find((id) => !before.has(id)) ?? '';
  }

  status(runId: string): string | undefined {
    return this.hasState(runId) ? this.state(runId).status : undefined;
  }

  resumptions(runId: string): number {
    return this.journal(runId).filter(({ type }) => type === 'run-resumed').length;
  }
}
