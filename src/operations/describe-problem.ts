/** The one place that words every problem. */
import { defined } from '../model/defined.ts';
import { describeFailure } from '../model/describe-failure.ts';
import type { RunId } from '../model/ids.ts';
import { unreachable } from '../model/unreachable.ts';
import { holderHelp, holderText } from '../store/describe-held.ts';
import type { JournalDamage } from '../store/journal-file.ts';
import { type Advice, advice } from './advice.ts';
import { describeAnswer } from './describe-answer.ts';
import type { CarryOutProblem, FindRunProblem, InvalidStatus, Problem, WorkflowChanged } from './problem.ts';

export interface DescribedProblem {
  readonly message: string;
  /** One per line. */
  readonly details?: readonly string[];
  readonly note?: string;
  /** What to do about it. */
  readonly help?: Advice;
}

export function describeProblem(problem: Problem): DescribedProblem {
  switch (problem.type) {
    case 'no-runs':
    case 'no-such-run':
    case 'several-runs':
      return describeNotFound(problem);
    case 'damaged-run':
      return describeDamage(problem.runId, problem.damage);
    case 'unbegun-run':
      return { message: `run \`${problem.runId}\` was killed before it started`, help: ['start it again'] };
    case 'run-is-gone':
    case 'held-run':
    case 'cannot-write':
      return describeCarryOut(problem);
    case 'no-such-step':
      return {
        message: `step \`${problem.asked}\` not found in the run`,
        help: [
          problem.near !== undefined
            ? `did you mean \`${problem.near}\`?`
            : problem.steps.length === 0
              ? 'no step has started'
              : `steps: ${list(problem.steps, 10)}`,
        ],
      };
    case 'several-steps':
      return {
        message: `\`${problem.asked}\` matches ${problem.found.length} steps`,
        help: [`use one of ${list(problem.found, 5)}`],
      };
    case 'run-is-over':
      return { message: `run \`${problem.runId}\` is ${problem.status}, not waiting for an answer` };
    case 'no-questions':
      return { message: `run \`${problem.runId}\` is not waiting for an answer` };
    case 'no-such-question':
      return {
        message: `step \`${problem.asked}\` of run \`${problem.runId}\` is not waiting for an answer`,
        help: [
          problem.near === undefined
            ? `waiting steps: ${problem.open.join(', ')}`
            : `did you mean \`${problem.near}\`?`,
        ],
      };
    case 'several-questions':
      return {
        message: `\`${problem.asked}\` matches ${problem.found.length} steps`,
        help: [`use one of ${problem.found.join(', ')}`],
      };
    case 'no-such-choice':
      return {
        message: `unknown choice \`${problem.choice}\` for \`${problem.key}\``,
        help: [`choose one of ${problem.choices.join(', ')}`],
      };
    case 'invalid-answer':
      return describeAnswer(problem);
    case 'already-answered':
      return { message: `\`${problem.key}\` has already been answered` };
    case 'workflow-changed':
      return describeChange(problem);
    case 'not-trusted':
      return {
        message: `files in ${problem.folder} choose what runs on this machine or where messages go, and you have not trusted them yet`,
        ...(problem.unread === undefined ? {} : { details: [problem.unread] }),
        help: advice`review them, then use ${{ operation: 'trust' }}; you are asked again only if one of these changes`,
      };
    case 'invalid-file': {
      const [first] = problem.diagnostics;
      return {
        message: first?.message ?? 'the file is invalid',
        ...defined({ help: problem.help }),
      };
    }
    case 'invalid-status': {
      const [message = 'the status is invalid', ...details] = statusLines(problem);
      return { message, details };
    }
    case 'refused':
      return { message: problem.message, ...defined({ help: problem.help }) };
    default:
      return unreachable(problem);
  }
}

/** One line per error, with its place in the file. */
export function statusLines({ file, faults }: InvalidStatus): readonly string[] {
  return faults.map(({ path, line, column, message }) => {
    if (file === undefined) return `${path}: ${message}`;
    const place = line === undefined ? file : `${file}:${line}:${column}`;
    return `${place}: ${path === undefined ? '' : `\`${path}\` `}${message}`;
  });
}

function describeNotFound(problem: FindRunProblem): DescribedProblem {
  switch (problem.type) {
    case 'no-runs':
      return {
        message:
          problem.asked === 'last'
            ? 'no runs in this folder yet'
            : `run \`${problem.asked}\` not found: no runs in this folder yet`,
        help: advice`start one with ${{ operation: 'start-workflow' }}, or change to the folder where the workflow was run`,
      };
    case 'no-such-run':
      return {
        message: `run \`${problem.asked}\` not found`,
        help:
          problem.near.length > 0
            ? [`did you mean ${list(problem.near, 5)}?`]
            : [`newest runs: ${list(problem.newest, 3)}; `, { operation: 'list-runs' }, ' lists all'],
      };
    case 'several-runs':
      return {
        message: `\`${problem.asked}\` matches ${problem.found.length} runs`,
        help: [`use a longer prefix of one of ${list(problem.found, 5)}`],
      };
    default:
      return unreachable(problem);
  }
}

function describeCarryOut(
  problem: Exclude<CarryOutProblem, { readonly type: 'damaged-run' }>,
): DescribedProblem {
  const { runId } = problem;
  switch (problem.type) {
    case 'run-is-gone':
      return {
        message: `run \`${runId}\` not found in this workspace`,
        help: advice`${{ operation: 'list-runs' }} lists the runs of this workspace`,
      };
    case 'held-run': {
      const doubt = holderHelp(problem.held);
      return {
        message: `run \`${runId}\` is being run by ${holderText(problem.held)}`,
        help:
          doubt === undefined
            ? advice`${{ operation: 'follow-run', run: runId }} follows it, ${{ operation: 'cancel-run', run: runId }} cancels it`
            : [doubt],
      };
    }
    case 'cannot-write': {
      const { failure, isThere } = problem;
      const first =
        failure.type === 'file' && failure.code === 'ELOOP'
          ? 'replace the symbolic link with a folder (to keep it on another disk, use a mount)'
          : 'free disk space or fix permissions';
      const resume = advice`resume with ${{ operation: 'resume-run', run: runId }}`;
      return {
        message: describeFailure(failure),
        help: [`${first}, then `, ...(isThere ? resume : ['start it again; nothing has run yet'])],
      };
    }
    default:
      return unreachable(problem);
  }
}

function describeChange({ runId: run, file, differences }: WorkflowChanged): DescribedProblem {
  const { completed, changed, added, removed, reordered, settings } = differences;
  const lines = [
    ...changed.map((name) => `changed: ${name}`),
    ...added.map((name) => `added: ${name}`),
    ...removed.map((name) => `removed: ${name}`),
    ...(reordered ? ['changed: the order of the steps'] : []),
    ...(settings ? ['changed: settings outside the steps'] : []),
  ];
  return {
    message: `\`${file}\` has changed since run \`${run}\` was started`,
    details: lines,
    ...(completed.length === 0 ? {} : { note: `these steps already have results: ${completed.join(', ')}` }),
    help:
      completed.length === 0
        ? advice`${{ operation: 'resume-run', run, acceptsChanges: true }} resumes with the new version`
        : advice`${{ operation: 'fork-run', run }} reuses the steps before it, ${{ operation: 'restart-run', run }} starts from scratch`,
  };
}

/** Describes a journal that cannot be loaded. */
export function describeDamage(
  runId: RunId,
  damage: JournalDamage,
): { readonly message: string; readonly help: Advice } {
  return { message: damage.message, help: damageHelp(runId, damage) };
}

function damageHelp(runId: RunId, damage: JournalDamage): Advice {
  switch (damage.type) {
    case 'damaged-record':
    case 'wrong-sequence':
      return advice`${{ operation: 'cut-run', run: runId }} keeps the records before the damage (and a copy of the damaged file); then resume with ${{ operation: 'resume-run', run: runId }}`;
    case 'unsupported-version':
      return ['it was written by a newer version of orchestrate: use that version'];
    case 'not-a-journal':
    case 'damaged-header':
      return ['nothing can be read from it; logs, prompts and responses are still in the run folder'];
    case 'file-error':
      return ['check the permissions of the file'];
    default:
      return unreachable(damage);
  }
}

/** Lists the first few names. */
function list(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map((name) => `\`${name}\``);
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
