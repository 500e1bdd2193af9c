/** Problems with executing, planning and merging the tasks of a session. */
import { advice, command } from '../../model/advice.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { form, quoted, said } from '../../model/problem-form.ts';

interface OfTask {
  readonly task: string;
}

interface OfRun {
  readonly runId: string;
}

export const taskProblems = () => ({
  'container-not-executed': form(
    'invalid',
    ({ task, subtasks }: OfTask & { readonly subtasks: readonly string[] }) =>
      said(
        `\`${task}\` is a container and cannot be executed`,
        advice`execute its subtasks: ${command(`execute ${subtasks.join(' ')}`)}`,
      ),
  ),
  'task-waits': form(
    'conflict',
    ({
      task,
      open,
      chosen,
    }: OfTask & { readonly open: readonly string[]; readonly chosen: readonly string[] }) =>
      said(
        `\`${task}\` waits for ${quoted(open)}`,
        advice`execute them together: ${command(`execute ${[...open, ...chosen].join(' ')}`)}`,
      ),
  ),
  'no-task-ready': form('failed', ({ task, open }: OfTask & { readonly open: readonly string[] }) =>
    said(`no task is ready: \`${task}\` waits for ${quoted(open)}`),
  ),
  'tasks-blocked': form(
    'failed',
    ({ first, tasks }: { readonly first: string; readonly tasks: readonly string[] }) =>
      said(
        `no task is ready: ${quoted(tasks)} ${tasks.length === 1 ? 'is' : 'are'} blocked`,
        advice`retry it with ${command(`execute ${first}`)}, or mark it done with ${{ operation: 'complete-task', task: first }}`,
      ),
  ),
  'invalid-agent': form('invalid', ({ reason }: { readonly reason: string }) =>
    said(`the agent cannot be used: ${reason}`),
  ),

  'empty-request': form('invalid', () => said('the request is empty')),
  'no-issues': form('invalid', () =>
    said(
      'no issues found',
      'give the output of `gh issue list --json number,title,body,labels`: a list with at least one issue',
    ),
  ),
  'issues-not-listed': form('failed', ({ reason }: { readonly reason: string }) =>
    said(`cannot list the issues: ${reason}`, 'install and log in to the GitHub CLI'),
  ),

  'not-a-plain-path': form(
    'invalid',
    ({ path, reason }: { readonly path: string; readonly reason: string }) =>
      said(`the path \`${path}\` ${reason}`),
  ),
  'empty-summary': form('invalid', () => said('the summary is empty')),
  'task-already-open': form('conflict', ({ task }: OfTask) => said(`\`${task}\` is already open`)),
  'task-in-progress': form('held', ({ task, runId }: OfTask & OfRun) =>
    said(`run \`${runId}\` is working on \`${task}\``, 'wait for it, or cancel the run'),
  ),
  'task-never-run': form('conflict', ({ task }: OfTask) => said(`no run has worked on \`${task}\` yet`)),
  'nothing-to-change': form('invalid', () => said('nothing to change', 'give at least one option')),

  'no-unmerged-work': form('not-found', ({ task }: OfTask) =>
    said(`\`${task}\` has no work that is not merged`),
  ),
  'run-of-task-removed': form('conflict', ({ task, branch }: OfTask & { readonly branch: string }) =>
    said(`the run that worked on \`${task}\` was removed`, `use \`git merge ${branch}\``),
  ),
  'task-merge-conflict': form(
    'conflict',
    ({ task, branch, failure }: OfTask & { readonly branch: string; readonly failure: Failure }) =>
      said(`cannot merge \`${task}\`: ${describeFailure(failure)}`, [
        `stash your uncommitted changes to these files, if any; if it still conflicts, merge your branch into \`${branch}\` and resolve it there. `,
        ...advice`Then use ${command(`task merge ${task}`)} again, or ${command(`task discard ${task}`)} to remove the work`,
      ]),
  ),
  'branch-checked-out': form(
    'conflict',
    ({ branch, folder }: { readonly branch: string; readonly folder: string }) =>
      said(`branch \`${branch}\` is checked out in \`${folder}\``, 'switch to another branch there'),
  ),
  'run-of-task-running': form('held', ({ runId }: OfRun) =>
    said(`run \`${runId}\` is still running`, 'wait for it, or cancel it'),
  ),
  'task-not-finished': form('conflict', ({ task, runId }: OfTask & OfRun) =>
    said(
      `run \`${runId}\` has not finished \`${task}\``,
      advice`continue it with ${{ operation: 'resume-run', run: runId }}`,
    ),
  ),
});
