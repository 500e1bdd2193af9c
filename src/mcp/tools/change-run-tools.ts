/** Tools that start and change runs. A run that is started here is a process of its own, which outlives the server. */
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { ok } from '../../model/result.ts';
import { resumeRun } from '../../operations/resuming/resume-run.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import { answerQuestion } from '../../operations/runs/answer-question.ts';
import { CLEANED_AFTER_DAYS, chooseOldRuns, cleanRuns } from '../../operations/runs/clean-runs.ts';
import { startFile } from '../../operations/starting/start-file.ts';
import { run } from './run-tools.ts';
import { count, countIn, objectOf, type Tool, type ToolAnswer, type ToolSite, text, textIn } from './tool.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export const CHANGE_RUN_TOOLS: readonly Tool[] = [
  {
    name: 'run_start',
    description:
      'Start a workflow in the background. Follow it with `run_follow`. It runs the commands and agents of the workflow file.',
    input: objectOf(
      {
        workflow: text('workflow file (YAML or TypeScript), relative to this folder'),
        context: { type: 'object', description: 'context variables and inputs of the workflow' },
        dry_run: { type: 'boolean', description: 'print commands instead of running them' },
      },
      ['workflow'],
    ),
    async run(site, given) {
      const { context } = given;
      const prepared = await startFile(site, {
        file: textIn(given, 'workflow') ?? '',
        ...(isJsonObject(context) ? { context } : {}),
        options: given['dry_run'] === true ? { dryRun: true } : {},
      });
      return prepared.type === 'ok' ? started(site, prepared.value) : prepared;
    },
  },
  {
    name: 'run_resume',
    description:
      'Resume a run that failed, was interrupted or whose question was answered, in the background.',
    input: objectOf({ run }, ['run']),
    async run(site, given) {
      const resumed = await resumeRun(site, { run: textIn(given, 'run') ?? '' });
      if (resumed.type === 'error') return resumed;
      if (resumed.value.type === 'completed')
        return ok({ run_id: resumed.value.run.runId, status: 'completed', started: false });
      return started(site, resumed.value);
    },
  },
  {
    name: 'run_approve',
    description:
      'Answer a question that a run is waiting on. The answer is recorded as the answer of an agent.',
    offBecause: 'questions of a run are answered by a person',
    input: objectOf(
      {
        run,
        step: text('step that asks the question'),
        choice: text('one of the choices it offers'),
        comment: text('comment recorded with the answer'),
        by: text('ignored: the answer is recorded as `agent`'),
      },
      ['run', 'step', 'choice'],
    ),
    run(site, given) {
      const answered = answerQuestion(site, {
        run: textIn(given, 'run') ?? '',
        question: textIn(given, 'step') ?? '',
        choice: textIn(given, 'choice') ?? '',
        comment: textIn(given, 'comment'),
        by: textIn(given, 'by'),
      });
      if (answered.type === 'error') return answered;
      const { runId, key, choice, isTakenUp, keptAs } = answered.value;
      return ok({
        run_id: runId,
        step: key,
        ...defined({ choice }),
        taken_up: isTakenUp,
        ...defined({ kept_as: keptAs }),
      });
    },
  },
  {
    name: 'clean',
    description: 'Remove old runs that have ended, with their logs.',
    offBecause: 'it removes files',
    input: objectOf({
      older_than_days: count(`only runs started longer ago than this (default: ${CLEANED_AFTER_DAYS})`, {
        from: 0,
        to: 36500,
      }),
      keep: count('keep this many of the newest runs', { from: 0, to: 1_000_000 }),
      dry_run: { type: 'boolean', description: 'only list what would be removed' },
    }),
    run: clean,
  },
];

async function started(site: ToolSite, prepared: Prepared): Promise<ToolAnswer> {
  const done = await site.start(prepared);
  if (done.type === 'error') return done;
  return ok({ run_id: prepared.plan.runId, title: prepared.plan.title, pid: done.value.pid, started: true });
}

async function clean(site: ToolSite, given: JsonObject): Promise<ToolAnswer> {
  const days = countIn(given, 'older_than_days');
  const olderThanMs = days === undefined ? undefined : days * DAY_MS;
  const asked = defined({ olderThanMs, keep: countIn(given, 'keep') });
  if (given['dry_run'] === true) {
    const chosen = chooseOldRuns(site, asked);
    return chosen.type === 'ok' ? ok({ would_remove: chosen.value.map(({ runId }) => runId) }) : chosen;
  }
  const cleaned = await cleanRuns(site, asked);
  if (cleaned.type === 'error') return cleaned;
  const { removed, kept } = cleaned.value;
  return ok({ removed, kept: kept.map(({ runId, reason, why }) => ({ run_id: runId, reason, why })) });
}
