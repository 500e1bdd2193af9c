/** Output that ends too early, too late or never. */
import { mustEqual } from '../must.ts';
import { type ProgramCase, programCase, writeAgent } from '../site/programs.ts';
import { createSite, mustEnd } from '../site/site.ts';
import type { Point } from '../suite.ts';
import { mustLeaveNothing } from './nothing-left.ts';

interface Output {
  readonly name: string;
  readonly body: string;
  readonly exitCode: number;
  /** An agent has 60 s to exit after its result. */
  readonly isSlow?: boolean;
}

export const OUTPUTS: readonly Output[] = [
  // The last line counts even without a newline.
  { name: 'no-newline', body: 'begin; finish | tr -d "\\n"', exitCode: 0 },
  { name: 'closed-early', body: 'begin; exec >&- 2>&-; sleep 0.5', exitCode: 1 },
  { name: 'closed-after-result', body: 'begin; finish; exec >&- 2>&-; sleep 0.5', exitCode: 0 },
  { name: 'nothing', body: 'exit 0', exitCode: 1 },
  { name: 'half-a-line', body: `begin; printf '{"type":"resu'`, exitCode: 1 },
  {
    name: 'rubbish',
    body: `begin; head -c 300000 /dev/urandom; echo; printf '\\0\\377\\n'; finish`,
    exitCode: 0,
  },
  // A child keeps the pipe open after the agent has ended, silently or with output.
  { name: 'held-pipe', body: 'begin; sleep 1000 & finish', exitCode: 0 },
  {
    name: 'speaking-child',
    body: 'begin; (while :; do echo still here; sleep 0.01; done) & finish',
    exitCode: 0,
  },
  { name: 'shouting-child', body: 'begin; setsid yes & finish', exitCode: 0 },
  { name: 'never-exits', body: 'begin; finish; while :; do sleep 0.1; done', exitCode: 0, isSlow: true },
  {
    name: 'never-exits-talks',
    body: 'begin; finish; while :; do echo still here; echo; sleep 0.1; done',
    exitCode: 0,
    isSlow: true,
  },
  {
    name: 'never-exits-deaf',
    body: 'trap "" TERM; begin; finish; while :; do sleep 0.1; done',
    exitCode: 0,
    isSlow: true,
  },
];

export function outputPoint(name: ProgramCase['name'], output: Output): Point {
  return {
    id: `output/${name}/${output.name}`,
    async check(trial) {
      const program = programCase(name);
      const site = createSite(trial);
      await program.prepare(site);
      writeAgent(site, program, output.body);
      const ended = await site.run(program.start);
      mustEnd(ended, output.exitCode, program.start);
      await mustLeaveNothing(site);
      const [run = ''] = site.runs();
      const { status } = JSON.parse(site.read(`.orchestrate/runs/${run}/state.json`)) as {
        readonly status: string;
      };
      mustEqual(status, output.exitCode === 0 ? 'completed' : 'failed', `${run}: status`);
    },
  };
}
