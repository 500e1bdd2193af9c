/** Locks the workspace of a loop, so that one run at a time works on it. */
import { dirname } from 'node:path';
import type { Config } from '../../iterate/config/layers.ts';
import { isPause } from '../../iterate/events/pause.ts';
import { notifySecrets } from '../../iterate/notify-address.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { findLeftRun } from '../../operations/loops/run/left-run.ts';
import { type OpenedWorkspace, openWorkspace } from '../../operations/loops/site/find-loop.ts';
import { openSettings } from '../../operations/loops/site/loops.ts';
import { takeWorkspace } from '../../operations/loops/site/take-workspace.ts';
import type { Problem } from '../../operations/problem.ts';
import type { LoopHold } from '../../operations/run-hold.ts';
import type { RunPlan } from '../../operations/run-plan.ts';
import { answerQuestion, checkAnswer } from '../../operations/runs/answer-question.ts';
import { readRunById } from '../../operations/runs/read-run.ts';
import type { Site } from '../../operations/site.ts';
import { sweepLocks } from '../../store/lock.ts';
import { localPath } from '../../store/portable-path.ts';
import { removeFile } from '../../store/remove-file.ts';
import type { Hold, HoldFor } from '../hold.ts';
import { sweepReports } from './loop-reports.ts';
import { watchLoop } from './watch-loop.ts';

export async function holdLoop(plan: RunPlan, given: LoopHold, by: HoldFor): Promise<Result<Hold, Problem>> {
  const loop = { ...given, folder: localPath(plan.workspace, given.folder) };
  // The run has ended, but its process may have been killed before it released the workspace.
  if (plan.begin.type === 'tidy')
    return ok({
      plan,
      release() {
        sweepLocks(loop.folder);
        sweepReports(loop.folder);
      },
    });
  const opened = open(by.site, loop);
  if (opened.type === 'error') return opened;
  const workspace = opened.value;
  const { shared } = by;
  const lock = takeWorkspace(workspace, shared === undefined ? undefined : plan.runId);
  if (lock.type === 'error') return lock;
  const secrets = secretsOf(workspace.config);
  const giveBack = (): void => lock.value.release();
  if (loop.purpose === 'report') return ok({ plan, secrets, release: giveBack });
  const { stop, pause } = workspace.paths;
  try {
    // An earlier owner of a shared run may have been asked to stop.
    if (shared?.isContinued !== true) {
      removeFile(stop);
      removeFile(pause);
    }
    const isChecked = loop.takesUpLast === true && shared?.isContinued !== true;
    const changed = isChecked ? whyChanged(plan, loop, by.site) : undefined;
    if (changed !== undefined) {
      giveBack();
      return error(changed);
    }
    await endPause(plan, by);
    const watch = watchLoop(plan, workspace, by);
    return ok({
      plan,
      secrets,
      notifies: workspace.config.get<string | undefined>('notifyUrl'),
      isTrial: watch.isTrial,
      event: (event) => watch.event(event),
      async release() {
        try {
          await watch.close();
        } finally {
          removeFile(stop);
          removeFile(pause);
          giveBack();
        }
      },
    });
  } catch (cause) {
    giveBack();
    throw cause;
  }
}

function open(site: Site, { name, folder }: LoopHold): Result<OpenedWorkspace, Problem> {
  const loops = openSettings(site, { settings: { workspacesDir: dirname(folder) } });
  return loops.type === 'ok' ? openWorkspace(loops.value, name) : loops;
}

/** Running a paused loop is the answer to its pause. */
async function endPause({ begin, runId }: RunPlan, { site, shared }: HoldFor): Promise<void> {
  const isAsked = begin.type === 'resume' && (shared === undefined || shared.isResumed);
  const run = isAsked ? readRunById(site, runId) : undefined;
  const waiting = run?.type === 'ok' ? Object.keys(run.value.state.waiting_for ?? {}) : [];
  for (const question of waiting.filter(isPause)) {
    const given = { run: runId, question, choice: 'continue' };
    const checked = shared === undefined ? undefined : checkAnswer(site, given);
    if (shared === undefined) answerQuestion(site, given);
    else if (checked?.type === 'ok') await shared.answer(checked.value.key, checked.value.text);
  }
}

/** Checks the metadata again now that it is locked: another run may have ended since the plan was made. */
function whyChanged(plan: RunPlan, loop: LoopHold, site: Site): Problem | undefined {
  const workspace = open(site, loop);
  if (workspace.type === 'error') return workspace.error;
  const left = findLeftRun(site, workspace.value.metadata).run?.runId;
  if (left === (plan.begin.type === 'resume' ? plan.runId : undefined)) return undefined;
  return { type: 'loop-run-meanwhile', name: loop.name };
}

/** Credentials in the notification URL. */
function secretsOf(config: Config): readonly string[] {
  return notifySecrets(config.get<string | undefined>('notifyUrl'));
}
