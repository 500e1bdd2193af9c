/**
 * Carries out a plan in a process of its own that outlives this one and its terminal.
 *
 * T1 When `detach` reports a start, the run is recorded: it is listed, followed, cancelled and resumed like any other.
 * T2 If the run could not be started, the problem is reported here, and nothing is left running.
 * T3 What the process prints, also if it crashes, is in `logs/detached.log` of the run.
 * T4 A run that was recorded continues, even if the process that started it is killed before it knows.
 */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { closeFile } from '../../model/close-file.ts';
import { defined } from '../../model/defined.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { LoopOutlook, Prepared, RunPlan } from '../../operations/run-plan.ts';
import type { Site } from '../../operations/site.ts';
import { exitCodeOf } from '../../process/exit.ts';
import { reportStart, startDetached } from '../../process/start-detached.ts';
import { errnoOf } from '../../store/errno.ts';
import { detachedLogName, runPaths, runsFolder } from '../../store/layout.ts';
import { makeOneFolder } from '../../store/make-folder.ts';
import { makeOrchestrateFolder } from '../../store/orchestrate-folder.ts';
import { openPlainTo, readPlainText } from '../../store/plain-file.ts';
import { clearAway } from '../../store/remove-file.ts';
import { temporaryPath } from '../../store/temporary-name.ts';

/** What the process gets on its standard input. */
export interface DetachedWork {
  readonly plan: RunPlan;
  readonly loop?: LoopOutlook;
  /** How much it prints. */
  readonly output: { readonly quiet?: boolean; readonly verbose?: boolean };
  /** Its output goes to this file until the run has a folder. */
  readonly log: string;
}

export interface Detached {
  readonly pid: number;
}

export interface DetachFailed {
  /** What the process printed, for the user. */
  readonly said: string;
  readonly exitCode: number;
}

export async function detach(
  { plan, loop }: Prepared,
  by: { readonly site: Site; readonly program: readonly string[]; readonly output: DetachedWork['output'] },
): Promise<Result<Detached, DetachFailed>> {
  const log = newLog(plan);
  const fd = openPlainTo(log, { to: 'create' });
  try {
    const work: DetachedWork = { plan, ...defined({ loop }), output: by.output, log };
    const started = await startDetached({
      argv: by.program,
      cwd: plan.workspace,
      env: by.site.environment,
      input: JSON.stringify(work),
      output: fd,
    });
    switch (started.type) {
      case 'begun':
        return ok({ pid: started.pid });
      case 'not-started':
        return error({
          said: `error: the process cannot be started: ${errnoWords(started.code)}\n`,
          exitCode: 1,
        });
      case 'ended': {
        const { exitCode, signal } = exitCodeOf(started.exit);
        const why = signal === undefined ? '' : `error: ${signal} ended the process before the run started\n`;
        return error({ said: `${readPlainText(log)}${why}`, exitCode });
      }
      default:
        return unreachable(started);
    }
  } finally {
    closeFile(fd);
    clearAway(log);
  }
}

/** In the folder of all runs: the run itself has none yet, or another process may hold it. */
function newLog({ workspace, runId }: RunPlan): string {
  const runs = runsFolder(workspace);
  makeOrchestrateFolder(dirname(runs));
  makeOneFolder(runs, 0o700);
  return temporaryPath(join(runs, `${runId}.log`));
}

/** Called by the process when its run has begun. */
export function reportBegun({ plan, log }: DetachedWork): void {
  const { logs } = runPaths(plan.workspace, plan.runId);
  try {
    makeOneFolder(logs, 0o700);
    fs.renameSync(log, freeLog(logs));
  } catch (cause) {
    // The run matters more than its log.
    errnoOf(cause);
  }
  // T4
  reportStart();
}

/** A run that was detached before keeps its earlier logs. */
function freeLog(logs: string): string {
  for (let number = 1; ; number += 1) {
    const file = `${logs}/${detachedLogName(number)}`;
    if (!fs.existsSync(file)) return file;
  }
}
