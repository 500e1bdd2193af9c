/** Problems with runs that use several machines. */
import type { RunId } from '../../model/ids.ts';
import { form, said } from '../../model/problem-form.ts';

export const machineProblems = () => ({
  'no-database': form('invalid', ({ variable }: { readonly variable: string }) =>
    said(
      `the environment variable ${variable} is not set`,
      `set it to the address of a PostgreSQL database: ${variable}=postgresql://user:password@host/database`,
    ),
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
      said(`cannot use the database of ${variable}: ${reason}`),
  ),
  'no-git-workspace': form('invalid', (_: object) =>
    said(
      'workers cannot use `workspace.git` of `.orchestrate/engine.yaml`',
      'use `workspace: {folder: /path}` with a folder that every machine has at this path',
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
      'orchestrate workers tells why',
    ),
  ),
  'not-in-database': form('not-found', ({ runId }: { readonly runId: string }) =>
    said(`the database of the workers has no run \`${runId}\``),
  ),
  'hub-not-cleaned': form(
    'failed',
    ({ runId, reason }: { readonly runId: string; readonly reason: string }) =>
      said(`run \`${runId}\` is removed, but the hub still has its files: ${reason}`),
  ),
  'not-for-workers': form('invalid', (_: object) =>
    said('workers carry out workflow files in YAML only', 'run it without --engine'),
  ),
  'worker-name-in-use': form('held', ({ name }: { readonly name: string }) =>
    said(`a worker named \`${name}\` is running`, 'use another name: --name <name>'),
  ),
});
