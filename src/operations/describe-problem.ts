/** The words of every problem, once. */
import { describeFailure } from '../model/describe-failure.ts';
import type { RunId } from '../model/ids.ts';
import { unreachable } from '../model/unreachable.ts';
import { holderHelp, holderText } from '../store/describe-held.ts';
import type { JournalDamage } from '../store/journal-file.ts';
import { type Advice, advice } from './advice.ts';
import type { CarryOutProblem, FindRunProblem, InvalidStatus, Problem, WorkflowChanged } from './problem.ts';

export interface DescribedProblem {
  readonly message: string;
  /** One a line. */
  readonly details?: readonly string[];
  readonly note?: string;
  /** What can be done about it. */
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
      return { message: `run \`${problem.runId}\` was killed before it began`, help: ['start it again'] };
    case 'run-is-gone':
    case 'held-run':
    case 'cannot-write':
      return describeCarryOut(problem);
    case 'no-such-step':
      return {
        message: `the run has no step \`${problem.asked}\``,
        help: [
          problem.near !== undefined
            ? `did you mean \`${problem.near}\`?`
            : problem.steps.length === 0
              ? 'no step has begun'
              : `the steps are ${list(problem.steps, 10)}`,
        ],
      };
    case 'several-steps':
      return {
        message: `${problem.found.length} steps are called \`${problem.asked}\``,
        help: [`name one of ${list(problem.found, 5)}`],
      };
    case 'run-is-over':
      return { message: `run \`${problem.runId}\` is ${problem.status}: it waits for no answer` };
    case 'no-questions':
      return { message: `run \`${problem.runId}\` waits for no answer` };
    case 'no-such-question':
      return {
        message: `no step \`${problem.asked}\` of run \`${problem.runId}\` waits for an answer`,
        help: [
          problem.near === undefined
            ? `it waits for ${problem.open.join(', ')}`
            : `did you mean \`${problem.near}\`?`,
        ],
      };
    case 'several-questions':
      return {
        message: `several steps are called \`${problem.asked}\``,
        help: [`name one of ${problem.found.join(', ')}`],
      };
    case 'no-such-choice':
      return {
        message: `\`${problem.key}\` has no choice \`${problem.choice}\``,
        help: [`choose one of ${problem.choices.join(', ')}`],
      };
    case 'already-answered':
      return { message: `\`${problem.key}\` has been answered already` };
    case 'workflow-changed':
      return describeChange(problem);
    case 'not-trusted':
      return {
        message: `files in ${problem.folder} choose what runs on this machine or where messages go, and you have not agreed to it yet`,
        help: advice`look at them, then say ${{ operation: 'trust' }}; it is asked again only when one of these changes`,
      };
    case 'invalid-file': {
      const [first] = problem.diagnostics;
      return {
        message: first?.message ?? 'the file is wrong',
        ...(problem.help === undefined ? {} : { help: problem.help }),
      };
    }
    case 'invalid-status': {
      const [message = 'the status is wrong', ...details] = statusLines(problem);
      return { message, details };
    }
    case 'refused':
      return { message: problem.message, ...(problem.help === undefined ? {} : { help: problem.help }) };
    default:
      return unreachable(problem);
  }
}

/** One for each fault, with its place in the file. */
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
            ? 'there is no run in this folder yet'
            : `there is no run \`${problem.asked}\`, and no other in this folder`,
        help: advice`${{ operation: 'start-workflow' }} starts one; run this where the workflow was run`,
      };
    case 'no-such-run':
      return {
        message: `there is no run \`${problem.asked}\``,
        help:
          problem.near.length > 0
            ? [`did you mean ${list(problem.near, 5)}?`]
            : [`the newest are ${list(problem.newest, 3)}; `, { operation: 'list-runs' }, ' lists all'],
      };
    case 'several-runs':
      return {
        message: `${problem.found.length} runs begin with \`${problem.asked}\``,
        help: [`write more of one of ${list(problem.found, 5)}`],
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
        message: `there is no run \`${runId}\` here`,
        help: advice`${{ operation: 'list-runs' }} lists the runs of this workspace`,
      };
    case 'held-run': {
      const doubt = holderHelp(problem.held);
      return {
        message: `run \`${runId}\` is being run by ${holderText(problem.held)}`,
        help:
          doubt === undefined
            ? advice`${{ operation: 'follow-run', run: runId }} follows it, ${{ operation: 'cancel-run', run: runId }} ends it`
            : [doubt],
      };
    }
    case 'cannot-write': {
      const { failure, isThere } = problem;
      const first =
        failure.type === 'file' && failure.code === 'ELOOP'
          ? 'replace the link (to keep it on another disk, use a mount)'
          : 'make room or give permission';
      const resume = advice`${{ operation: 'resume-run', run: runId }} goes on`;
      return {
        message: describeFailure(failure),
        help: [`${first}, then `, ...(isThere ? resume : ['start it again: nothing was started'])],
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
    ...(completed.length === 0 ? {} : { note: `completed already: ${completed.join(', ')}` }),
    help:
      completed.length === 0
        ? advice`${{ operation: 'resume-run', run, acceptsChanges: true }} goes on with the new one`
        : advice`${{ operation: 'fork-run', run }} shares what came before, ${{ operation: 'restart-run', run }} begins anew`,
  };
}

/** The one way in which a journal that cannot be loaded is spoken of. */
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
      return advice`${{ operation: 'cut-run', run: runId }} keeps what stands before it (and the damaged file beside it); ${{ operation: 'resume-run', run: runId }} goes on from there`;
    case 'unsupported-version':
      return ['it was written by a newer version: use that one'];
    case 'not-a-journal':
    case 'damaged-header':
      return [
        'nothing can be read from it; its logs, prompts and responses are still in the folder of the run',
      ];
    case 'file-error':
      return ['see that the file can be read'];
    default:
      return unreachable(damage);
  }
}

/** The first few of them. */
function list(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map((name) => `\`${name}\``);
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
