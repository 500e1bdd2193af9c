/** Why a request about sessions or tasks failed: a closed list of values, with their words. */
import { type Advice, advice, command } from '../model/advice.ts';
import { describeFailure } from '../model/describe-failure.ts';
import type { Failure } from '../model/failure.ts';
import { form, meant, type ProblemsOf, quoted, said } from '../model/problem-form.ts';
import { holderHelp, holderText } from '../store/describe-held.ts';
import type { DocumentProblem } from '../store/document.ts';
import type { Held } from '../store/lock.ts';

interface OfSession {
  readonly session: string;
}

interface OfTask {
  readonly task: string;
}

interface Similar {
  readonly near?: string | undefined;
}

interface Broken {
  readonly problem: Exclude<DocumentProblem, { readonly type: 'held' }>;
}

interface HeldBy {
  readonly held: Held;
}

function reopening(session: string): Advice {
  return advice`reopen it with ${command(`session reopen ${session}`)}`;
}

export const sessionProblems = () => ({
  'no-active-session': form('not-found', () =>
    said(
      'no session is active',
      advice`start one with ${command('session start "<topic>"')}, continue the paused one with ${command('session resume')}, or switch to one with ${command('session switch <id>')}`,
    ),
  ),
  'active-session-missing': form('not-found', ({ session }: OfSession) =>
    said(
      `the folder of the active session \`${session}\` is missing`,
      advice`${command('repair')} removes its marker`,
    ),
  ),
  'no-such-session': form('not-found', ({ session, near }: OfSession & Similar) =>
    said(
      `session \`${session}\` not found`,
      meant(near, advice`list the sessions with ${{ operation: 'list-sessions' }}`),
    ),
  ),
  'session-completed': form('conflict', ({ session }: OfSession) =>
    said(`session \`${session}\` is completed`, reopening(session)),
  ),
  'cannot-switch-to-completed': form(
    'conflict',
    ({ session, isArchived }: OfSession & { readonly isArchived: boolean }) =>
      said(
        `session \`${session}\` is completed`,
        isArchived ? reopening(session) : advice`archive it with ${command(`session complete ${session}`)}`,
      ),
  ),
  'session-already-completed': form('conflict', ({ session }: OfSession) =>
    said(`session \`${session}\` is already completed`),
  ),
  'session-not-completed': form('conflict', ({ session }: OfSession) =>
    said(`session \`${session}\` is not completed`, advice`use ${command(`session switch ${session}`)}`),
  ),
  'session-being-executed': form('held', ({ session, held }: OfSession & HeldBy) =>
    said(`session \`${session}\` is being executed by ${holderText(held)}`),
  ),
  'run-of-session-held': form(
    'held',
    ({ session, runId, held }: OfSession & HeldBy & { readonly runId: string }) =>
      said(
        `run \`${runId}\` of session \`${session}\` is being run by ${holderText(held)}`,
        holderHelp(held),
      ),
  ),
  'session-being-changed': form('held', ({ path, held }: HeldBy & { readonly path: string }) =>
    said(`\`${path}\` is being changed by ${holderText(held)}`, holderHelp(held)),
  ),
  'broken-session': form('invalid', ({ problem }: Broken) =>
    said(problem.message, advice`try ${command('repair')}`),
  ),
  'broken-manifest': form('invalid', ({ problem }: Broken) =>
    said(problem.message, 'move it away and a new one will be created'),
  ),
  'session-outside': form('invalid', ({ failure }: { readonly failure: Failure }) =>
    said(describeFailure(failure)),
  ),
  'workflow-folder-outside': form('conflict', ({ folder }: { readonly folder: string }) =>
    said(`\`${folder}\` leads outside the workspace`),
  ),
  'not-a-marker': form('conflict', ({ path, reason }: { readonly path: string; readonly reason: string }) =>
    said(`\`${path}\`: ${reason}`, 'move it away'),
  ),
  'archive-place-taken': form('conflict', ({ path }: { readonly path: string }) =>
    said(`\`${path}\` already exists; nothing was overwritten`, 'move it away'),
  ),
  'open-tasks': form('conflict', ({ tasks }: { readonly tasks: readonly string[] }) =>
    said(
      `${tasks.length === 1 ? '1 task is' : `${tasks.length} tasks are`} not completed: ${quoted(tasks.slice(0, 5))}${tasks.length > 5 ? ', …' : ''}`,
      'use `--force` to complete the session anyway',
    ),
  ),

  'no-such-task': form('not-found', ({ task, near }: OfTask & Similar) =>
    said(
      `task \`${task}\` not found`,
      meant(near, advice`list the tasks with ${{ operation: 'list-tasks' }}`),
    ),
  ),
  'no-such-dependency': form('not-found', ({ task, near }: OfTask & Similar) =>
    said(`dependency \`${task}\` not found`, near === undefined ? undefined : `did you mean \`${near}\`?`),
  ),
  'depends-on-parent': form(
    'invalid',
    ({ task, parent }: { readonly task?: string; readonly parent: string }) =>
      said(
        `${task === undefined ? 'a subtask' : `\`${task}\``} cannot depend on its own parent \`${parent}\``,
      ),
  ),
  'circular-dependency': form('invalid', ({ tasks }: { readonly tasks: readonly string[] }) =>
    said(`circular dependency: ${tasks.map((id) => `\`${id}\``).join(' → ')}`),
  ),
  'no-sub-subtasks': form('invalid', ({ task }: OfTask) =>
    said(`\`${task}\` is a subtask and cannot have subtasks`, 'use a main task as the parent'),
  ),
  'cannot-decompose': form('conflict', ({ task, status }: OfTask & { readonly status: string }) =>
    said(`\`${task}\` is ${status} and can no longer be decomposed`),
  ),
  'derived-status': form('invalid', ({ task, subtasks }: OfTask & { readonly subtasks: readonly string[] }) =>
    said(
      `cannot set the status of \`${task}\`: it is derived from its subtasks`,
      `set it on ${quoted(subtasks)}`,
    ),
  ),
  'container-status': form('invalid', ({ task }: OfTask) =>
    said(
      'a task becomes a container when it gets its first subtask',
      advice`use ${command(`task decompose ${task}`)}`,
    ),
  ),
  'tasks-exist': form('conflict', ({ tasks }: { readonly tasks: readonly string[] }) =>
    said(`${quoted(tasks)} already ${tasks.length === 1 ? 'exists' : 'exist'}`),
  ),
  'tasks-not-written': form('invalid', ({ code }: { readonly code: string }) =>
    said(`cannot write the tasks: ${code}`),
  ),
});

export type SessionProblem = ProblemsOf<ReturnType<typeof sessionProblems>>;

/** In one sentence, for those who cannot act on it. */
export function sessionProblemText(problem: SessionProblem): string {
  const { words } = sessionProblems()[problem.type];
  return (words as (data: SessionProblem) => { readonly message: string })(problem).message;
}
