/** The words of problems with runs. */
import { type Advice, advice } from '../../model/advice.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { RunId } from '../../model/ids.ts';
import { type DescribedProblem, type Form, form } from '../../model/problem-form.ts';
import { unreachable } from '../../model/unreachable.ts';
import { holderHelp, holderText } from '../../store/describe-held.ts';
import type { JournalDamage } from '../../store/journal-file.ts';
import { describeAnswer } from './describe-answer.ts';
import type { CarryOutProblem, InvalidStatus, RunProblem, WorkflowChanged } from './run-problem.ts';

type RunTable = {
  readonly [Type in RunProblem['type']]: Form<Extract<RunProblem, { readonly type: Type }>>;
};

export const runProblems = (): RunTable => ({
  'no-runs': form('not-found', ({ asked }) => ({
    message:
      asked === 'last'
        ? 'no runs in this folder yet'
        : `run \`${asked}\` not found: no runs in this folder yet`,
    help: advice`start one with ${{ operation: 'start-workflow' }}, or change to the folder where the workflow was run`,
  })),
  'no-such-run': form('not-found', ({ asked, near, newest }) => ({
    message: `run \`${asked}\` not found`,
    help:
      near.length > 0
        ? [`did you mean ${list(near, 5)}?`]
        : [`newest runs: ${list(newest, 3)}; `, { operation: 'list-runs' }, ' lists all'],
  })),
  'several-runs': form('invalid', ({ asked, found }) => ({
    message: `\`${asked}\` matches ${found.length} runs`,
    help: [`use a longer prefix of one of ${list(found, 5)}`],
  })),
  'damaged-run': form('failed', ({ runId, damage }) => describeDamage(runId, damage)),
  'unbegun-run': form('failed', ({ runId }) => ({
    message: `run \`${runId}\` was killed before it started`,
    help: ['start it again'],
  })),
  'run-is-gone': form('not-found', ({ runId }) => ({
    message: `run \`${runId}\` not found in this workspace`,
    help: advice`${{ operation: 'list-runs' }} lists the runs of this workspace`,
  })),
  'held-run': form('held', describeHeld),
  'cannot-write': form('failed', describeUnwritten),
  'no-such-step': form('not-found', ({ asked, near, steps }) => ({
    message: `step \`${asked}\` not found in the run`,
    help: [
      near !== undefined
        ? `did you mean \`${near}\`?`
        : steps.length === 0
          ? 'no step has started'
          : `steps: ${list(steps, 10)}`,
    ],
  })),
  'several-steps': form('invalid', ({ asked, found }) => ({
    message: `\`${asked}\` matches ${found.length} steps`,
    help: [`use one of ${list(found, 5)}`],
  })),
  'run-has-ended': form('conflict', ({ runId, status }) => ({
    message: `run \`${runId}\` is ${status}, not waiting for an answer`,
  })),
  'no-questions': form('conflict', ({ runId }) => ({
    message: `run \`${runId}\` is not waiting for an answer`,
  })),
  'no-such-question': form('not-found', ({ runId, asked, near, open }) => ({
    message: `step \`${asked}\` of run \`${runId}\` is not waiting for an answer`,
    help: [near === undefined ? `waiting steps: ${open.join(', ')}` : `did you mean \`${near}\`?`],
  })),
  'several-questions': form('invalid', ({ asked, found }) => ({
    message:
      asked === ''
        ? `${found.length} steps wait for an answer`
        : `\`${asked}\` matches ${found.length} steps`,
    help: [asked === '' ? `name one of ${found.join(', ')}` : `use one of ${found.join(', ')}`],
  })),
  'no-such-choice': form('invalid', ({ key, choice, choices }) => ({
    message: `unknown choice \`${choice}\` for \`${key}\``,
    help: [`choose one of ${choices.join(', ')}`],
  })),
  'invalid-answer': form('invalid', describeAnswer),
  'already-answered': form('conflict', ({ key }) => ({ message: `\`${key}\` has already been answered` })),
  'workflow-changed': form('conflict', describeChange),
  'not-trusted': form('conflict', ({ folder, unread }) => ({
    message: `files in ${folder} choose what runs on this machine or where messages go, and you have not trusted them yet`,
    ...(unread === undefined ? {} : { details: [unread] }),
    help: advice`review them, then use ${{ operation: 'trust' }}; you are asked again only if one of these changes`,
  })),
  'invalid-file': form('invalid', ({ diagnostics: [first], help }) => ({
    message: first?.message ?? 'the file is invalid',
    ...defined({ help }),
  })),
  'invalid-status': form('invalid', (problem) => {
    const [message = 'the status is invalid', ...details] = statusLines(problem);
    return { message, details };
  }),
});

type CarryOut<Type> = Extract<CarryOutProblem, { readonly type: Type }>;

function describeHeld({ runId, held }: CarryOut<'held-run'>): DescribedProblem {
  const doubt = holderHelp(held);
  return {
    message: `run \`${runId}\` is being run by ${holderText(held)}`,
    help:
      doubt === undefined
        ? advice`${{ operation: 'follow-run', run: runId }} follows it, ${{ operation: 'cancel-run', run: runId }} cancels it`
        : [doubt],
  };
}

function describeUnwritten({ runId, failure, isThere }: CarryOut<'cannot-write'>): DescribedProblem {
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

/** One line per error, with its place in the file. */
function statusLines({ file, faults }: InvalidStatus): readonly string[] {
  return faults.map(({ path, line, column, message }) => {
    if (file === undefined) return `${path}: ${message}`;
    const place = line === undefined ? file : `${file}:${line}:${column}`;
    return `${place}: ${path === undefined ? '' : `\`${path}\` `}${message}`;
  });
}

function describeChange({ runId: run, file, differences, asked = [] }: WorkflowChanged): DescribedProblem {
  const { completed, changed, added, removed, reordered, settings } = differences;
  const lines = [
    ...changed.map((name) => `changed: ${name}`),
    ...added.map((name) => `added: ${name}`),
    ...removed.map((name) => `removed: ${name}`),
    ...(reordered ? ['changed: the order of the steps'] : []),
    ...(settings ? ['changed: settings outside the steps'] : []),
    ...asked.map((key) => `would be asked something else: ${key}`),
  ];
  return {
    message: `\`${file}\` has changed since run \`${run}\` was started`,
    details: lines,
    ...(completed.length === 0 ? {} : { note: `these steps already have results: ${completed.join(', ')}` }),
    help:
      completed.length === 0
        ? advice`${{ operation: 'resume-run', run, changes: 'accepted' }} resumes with the new version`
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
