/**
 * `POST /w/:ws/actions {"command": …}`: a closed list over the operations that the commands use. What starts a run starts a process of
 * its own, which outlives the server. The answer is in words: `{ok, said, problem?}`.
 */
import { countText } from '../../model/amounts.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { Problem } from '../../operations/problem.ts';
import { problemData } from '../../operations/problem-data.ts';
import { forkRun } from '../../operations/resuming/fork-run.ts';
import { resumeRun } from '../../operations/resuming/resume-run.ts';
import { retryStep } from '../../operations/resuming/retry-step.ts';
import type { RunCancelled } from '../../operations/runs/cancel-run.ts';
import { answerAnyQuestion, resumeOnWorkers } from '../../operations/runs/change-on-workers.ts';
import { cleanRuns } from '../../operations/runs/clean-runs.ts';
import { fileInputs } from '../../operations/starting/file-inputs.ts';
import { startFile } from '../../operations/starting/start-file.ts';
import { cancelAnyRun } from '../../operations/workflows/cancel-any-run.ts';
import { type Answer, howToClick, json, STATUS } from '../requests/answer.ts';
import { type Acting, type Action, begin, type Said, text } from './action.ts';
import { PROGRAM_ACTIONS } from './program-actions.ts';
import { runAsked, SCHEDULE_ACTIONS } from './schedule-actions.ts';

const DAY_MS = 86_400_000;
const MOST_KEPT_SHOWN = 3;

const ACTIONS: { readonly [command: string]: Action } = {
  approve,
  cancel,
  resume,
  fork: async (acting, given) =>
    begin(
      acting,
      await forkRun(acting.site, { run: text(given, 'run') ?? '', from: text(given, 'step') ?? '' }),
      `Forked from \`${text(given, 'step') ?? ''}\`.`,
    ),
  retry,
  inputs,
  run: async (acting, given) => begin(acting, await startFile(acting.site, runAsked(given)), 'Started.'),
  clean,
  ...SCHEDULE_ACTIONS,
  ...PROGRAM_ACTIONS,
};

export const COMMANDS: readonly string[] = Object.keys(ACTIONS);

export async function act(acting: Acting, given: JsonObject): Promise<Answer> {
  const command = text(given, 'command') ?? '';
  const action = Object.hasOwn(ACTIONS, command) ? ACTIONS[command] : undefined;
  const done: Result<Said, Problem> =
    action === undefined
      ? error({ type: 'unknown-command', command, commands: COMMANDS })
      : await action(acting, given);
  if (done.type === 'ok') return json({ ok: true, ...done.value });
  const data = problemData(done.error, howToClick);
  const said = wordsOf(data);
  return json({ ok: false, said, problem: data }, STATUS[data['kind'] as keyof typeof STATUS]);
}

async function resume(acting: Acting, given: JsonObject): Promise<Result<Said, Problem>> {
  const resumed = await resumeRun(acting.site, {
    run: text(given, 'run') ?? '',
    acceptsChanges: given['accept_changes'] === true,
  });
  if (resumed.type === 'ok' || resumed.error.type !== 'run-of-workers')
    return begin(acting, resumed, 'Resumed.');
  const { runId } = resumed.error;
  const isNew = await resumeOnWorkers(acting.site, runId);
  if (isNew.type === 'error') return isNew;
  return ok({ said: isNew.value ? 'Resumed.' : 'The run is already running, or has ended.', run: runId });
}

/** What exactly is wrong says more than how a command would be given. */
function wordsOf({ message, details, help }: JsonObject): string {
  const exact = Array.isArray(details) ? details.map(String).join('; ') : '';
  if (exact !== '') return `${String(message)}: ${exact}`;
  return [message, help].filter((part) => typeof part === 'string').join('; ');
}

/** An action, although it changes nothing: a workflow in code is loaded for it, which runs its top level, and reading runs nothing. */
async function inputs({ site }: Acting, given: JsonObject): Promise<Result<Said, Problem>> {
  const found = await fileInputs(site, text(given, 'file') ?? '');
  if (found.type === 'error') return found;
  return ok({ said: `Inputs of \`${found.value.name}\`.`, workflow: found.value });
}

async function retry(acting: Acting, given: JsonObject): Promise<Result<Said, Problem>> {
  const step = text(given, 'step') ?? '';
  const retried = await retryStep(acting.site, { run: text(given, 'run') ?? '', step });
  if (retried.type === 'error') return retried;
  const { prepared, isFork } = retried.value;
  const words = isFork ? `Started a new run from \`${step}\`.` : `Retrying \`${step}\`.`;
  return begin(acting, ok(prepared), words);
}

/** A question of a run without a process is answered, and the run is resumed. */
async function approve(acting: Acting, given: JsonObject): Promise<Result<Said, Problem>> {
  const { values } = given;
  const answered = await answerAnyQuestion(acting.site, {
    run: text(given, 'run') ?? '',
    question: text(given, 'step') ?? '',
    choice: text(given, 'choice'),
    ...(isJsonObject(values) ? { values } : {}),
    comment: text(given, 'comment'),
  });
  if (answered.type === 'error') return answered;
  const { runId, key, choice, isTakenUp } = answered.value;
  const said = `Recorded ${choice === undefined ? 'the answer' : `\`${choice}\``} for \`${key}\`.`;
  if (isTakenUp) return ok({ said: `${said} The run continues.`, run: runId });
  const resumed = await begin(
    acting,
    await resumeRun(acting.site, { run: runId }),
    `${said} The run continues.`,
  );
  // The answer is recorded anyway: another process may just have resumed the run.
  if (resumed.type === 'error' && resumed.error.type !== 'held-run') {
    const { message } = problemData(resumed.error, howToClick);
    return ok({ said: `${said} It could not be resumed: ${String(message)}`, run: runId });
  }
  return ok({ said: `${said} The run continues.`, run: runId });
}

async function cancel(acting: Acting, given: JsonObject): Promise<Result<Said, Problem>> {
  const found = await cancelAnyRun(acting.site, text(given, 'run') ?? '');
  if (found.type === 'error') return found;
  if (found.value.type === 'finally-planned')
    return begin(acting, ok(found.value.prepared), 'Cancelled; its `finally` steps are running.');
  const done = cancelled(found.value.cancelled);
  if (!found.value.skipsFinally) return ok(done);
  const why = 'you did not start it on this machine';
  return ok({ ...done, said: `${done.said} Its \`finally\` steps were not run: ${why}.` });
}

function cancelled(done: RunCancelled): Said {
  const { runId: run } = done;
  switch (done.type) {
    case 'already-ended':
      return { said: `The run has already ended (${done.status}).`, run };
    case 'asked':
      return { said: done.isSignalled ? 'Asked the run to stop.' : 'The run has just ended.', run };
    case 'ended':
      return { said: 'Cancelled.', run };
    case 'asked-workers':
      return { said: 'Asked its worker to cancel the run.', run };
    case 'ended-there':
      return { said: 'The run has already ended.', run };
    default:
      return unreachable(done);
  }
}

async function clean({ site }: Acting, given: JsonObject): Promise<Result<Said, Problem>> {
  const days = given['days'];
  if (typeof days !== 'number' || days < 0)
    return error({
      type: 'missing-field',
      field: 'days',
      meaning: 'say how old a run must be to be removed',
    });
  const cleaned = await cleanRuns(site, { olderThanMs: days * DAY_MS });
  if (cleaned.type === 'error') return cleaned;
  const { removed, kept } = cleaned.value;
  const shown = kept.slice(0, MOST_KEPT_SHOWN).map(({ runId, why }) => `Kept \`${runId}\`: ${why}.`);
  const others = kept.length - shown.length;
  return ok({
    said: [
      `Removed ${countText(removed.length, 'run')}.`,
      ...shown,
      ...(others > 0 ? [`Kept ${countText(others, 'more run')}.`] : []),
    ].join(' '),
  });
}
