/** Whole workflows through one real CLI: the built program, the real agent, its real tools; only the model is scripted. */
import { execFileSync } from 'node:child_process';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { describeAnswers } from './answers.ts';
import { CliWorkspace } from './cli-workspace.ts';
import { type Cli, cleanEnvironment } from './clis.ts';
import { describeEnds } from './ends.ts';
import { describeFailures } from './failures.ts';
import { installClis } from './install.ts';
import { describeUnfinished } from './unfinished.ts';

/** What every case needs: its own workspace, and a way to write the workflow of the case into it. */
export interface Stage {
  readonly cli: Cli;
  site(): CliWorkspace;
  /** A step of the agent with these additional keys, and a step after it that runs only if the first one is done. */
  write(keys?: string, permissions?: 'bypass' | 'default'): void;
}

export const PROMPT = 'How many are two and two?';
/** The start of a shell command: a process in its own session that is not waited for. */
export const LEAVE_BEHIND = 'setsid sleep 271 < /dev/null > /dev/null 2>&1 &';
export const SESSION_ID = /^(?:[0-9a-f]{8}-[0-9a-f-]{27}|ses_[0-9A-Za-z]+)$/;

export function describeRealCli(cli: Cli): void {
  describe(`a workflow with ${cli.name} ${cli.version}`, { timeout: 180_000 }, () => {
    let site: CliWorkspace;
    const stage: Stage = {
      cli,
      site: () => site,
      write: (keys = '', permissions = 'bypass') =>
        site.workspace.write({
          'w.yaml': workflow(cli, `, permissions: ${permissions}${keys === '' ? '' : `, ${keys}`}`),
          'ask.txt': PROMPT,
        }),
    };

    beforeAll(installClis, 15 * 60_000);

    beforeEach(() => {
      site = new CliWorkspace([cli], {});
    });

    // After every case: no process is left, and no file contains the key.
    afterEach(async () => {
      if (site.workspace.runs().length > 0) await site.expectNothingLeft();
    });

    it(`is run with version ${cli.version}`, () => {
      const [program = '', ...args] = cli.command();
      const env = cleanEnvironment(temporaryFolder());
      const told = execFileSync(program, [...args, '--version'], { env, encoding: 'utf8' });
      expect(told).toContain(cli.version);
      process.stdout.write(`real CLI: ${cli.name} ${cli.version} (${args.at(-1) ?? program})\n`);
    });

    describeAnswers(stage);
    describeFailures(stage);
    describeUnfinished(stage);
    describeEnds(stage);
  });
}

function workflow(cli: Cli, keys: string): string {
  return `name: real
steps:
  - { name: Ask, provider: ${cli.name}, input_file: ask.txt, output_file: answer.txt${keys} }
  - { name: After, command: [cat, answer.txt] }
`;
}
