import type { Command } from 'commander';
import { defined } from '../../model/defined.ts';
import { unreachable } from '../../model/unreachable.ts';
import { resumeRun } from '../../operations/resuming/resume-run.ts';
import { isRunOfWorkers } from '../../operations/runs/of-workers.ts';
import { Tally } from '../../report/live/tally.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { refuse } from '../refuse.ts';
import {
  addDetachOption,
  addOutputOptions,
  addTrustOption,
  type DetachOption,
  type OutputOptions,
  type TrustOption,
} from '../run-options.ts';
import { carryOutHere } from '../running/carry-out.ts';
import { withTrust } from '../trust/with-trust.ts';

interface ResumeFlags extends OutputOptions, TrustOption, DetachOption {
  readonly acceptChanges?: boolean;
  readonly forceRestart?: boolean;
  readonly asStarted?: boolean;
}

export function define(command: Command, context: CliContext): void {
  addDetachOption(
    addOutputOptions(
      addTrustOption(
        command
          .argument('<run>', 'run id, unique prefix of one, or `last`')
          .option('--accept-changes', 'resume with the changed workflow, if no completed step has changed')
          .option('--as-started', 'for a workflow in code: resume with its files as they were')
          .option(
            '--force-restart',
            'start a new run of the workflow with the same input; keeps the old run',
          ),
      ),
    ),
  )
    .addHelpText('after', '\nExample:\n  orchestrate resume 20260131T120000Z-abc123')
    .action(async (text: string, flags: ResumeFlags) => {
      context.exitCode = await resume(context, text, flags);
    });
}

async function resume(context: CliContext, run: string, flags: ResumeFlags): Promise<number> {
  const { acceptChanges, forceRestart, asStarted } = flags;
  const site = await siteWithWorkers(context, run);
  let tally = new Tally({ runId: '', title: '' });
  const resumed = await withTrust(context, flags, () => {
    tally = new Tally({ runId: '', title: '' });
    return resumeRun(site, {
      run,
      ...defined({ acceptsChanges: acceptChanges, restarts: forceRestart, asStarted }),
      // Without a change, it continues as it was.
      plansForWorkers: acceptChanges === true || asStarted === true,
      onEvent: (event) => tally.apply(event),
    });
  });
  if (resumed === 'not-trusted') return EXIT.usage;
  const engine = resumed.type === 'ok' && forceRestart === true && isRunOfWorkers(site, run);
  if (resumed.type === 'error' && resumed.error.type === 'run-of-workers')
    return (await import('../running/engine-run.ts')).resumeOnEngine(
      context,
      { workspace: site.workspace, ...defined({ workers: site.workers }), runId: resumed.error.runId },
      flags,
    );
  if (resumed.type === 'error') return refuse(context, resumed.error);
  switch (resumed.value.type) {
    case 'run': {
      // A new run has no part in what the other one did and cost.
      const earlier = forceRestart === true ? {} : { tally };
      const carried = await carryOutHere(context, resumed.value, {
        output: { ...flags, engine },
        ...earlier,
      });
      return carried.exitCode;
    }
    case 'completed': {
      const { run: ended, plan } = resumed.value;
      // Its worker has finished everything.
      if (plan.onWorkers === true) {
        context.err(`run \`${ended.runId}\` is already completed: nothing to do\n`);
        return EXIT.done;
      }
      const { exitCode } = await carryOutHere(context, resumed.value, { output: { quiet: true } });
      if (exitCode === EXIT.done) context.err(`run \`${ended.runId}\` is already completed: nothing to do\n`);
      return exitCode;
    }
    default:
      return unreachable(resumed.value);
  }
}
