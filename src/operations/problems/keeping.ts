/** Problems with runs that are listed, cancelled, queued, scheduled or served. */
import { advice, command } from '../../model/advice.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import { form, meant, quoted, said } from '../../model/problem-form.ts';
import { holderHelp, holderText } from '../../store/describe-held.ts';
import type { Held } from '../../store/lock.ts';

interface OfRun {
  readonly runId: string;
}

export const keepingProblems = () => ({
  'cannot-cancel-here': form('held', ({ runId, held }: OfRun & { readonly held: Held }) =>
    said(`run \`${runId}\` is being run by ${holderText(held)}`, `cancel it there; ${holderHelp(held)}`),
  ),
  'run-of-another-user': form('held', ({ runId, pid }: OfRun & { readonly pid: number }) =>
    said(
      `run \`${runId}\` is being run by process ${pid} of another user, which you are not allowed to signal`,
      'cancel it as that user',
    ),
  ),
  'run-not-cancelled': form('failed', ({ runId, reason }: OfRun & { readonly reason: string }) =>
    said(`run \`${runId}\` cannot be cancelled: ${reason}`),
  ),
  'run-not-removed': form(
    'failed',
    ({ directory, reason }: { readonly directory: string; readonly reason: string }) =>
      said(`cannot remove \`${directory}\`: ${reason}`),
  ),
  'unknown-run-status': form(
    'invalid',
    ({ status, statuses }: { readonly status: string; readonly statuses: readonly string[] }) =>
      said(`unknown status \`${status}\``, `use one of ${statuses.join(', ')}`),
  ),
  'unknown-cost-group': form(
    'invalid',
    ({ group, groups }: { readonly group: string; readonly groups: readonly string[] }) =>
      said(`unknown group \`${group}\``, `use one of ${groups.join(', ')}`),
  ),
  'no-diff': form(
    'not-found',
    ({
      runId,
      step,
      near,
    }: OfRun & { readonly step?: string | undefined; readonly near?: string | undefined }) =>
      said(
        `there is no diff of ${step === undefined ? `run ${runId}` : `\`${step}\``}`,
        meant(
          near,
          'only steps with `isolate` and tasks in worktrees have a diff, once their work has ended',
        ),
      ),
  ),

  'no-such-schedule': form(
    'not-found',
    ({
      workflow,
      near,
      files,
    }: {
      readonly workflow: string;
      readonly near?: string | undefined;
      readonly files: readonly string[];
    }) =>
      said(
        `no workflow \`${workflow}\` with a schedule`,
        meant(
          near,
          files.length === 0
            ? 'add `schedule` to a workflow file in `workflows/`'
            : `workflows with a schedule: ${files.join(', ')}`,
        ),
      ),
  ),
  'no-such-queued-run': form(
    'not-found',
    ({
      run,
      isAmbiguous,
      queued,
    }: {
      readonly run: string;
      readonly isAmbiguous: boolean;
      readonly queued: readonly string[];
    }) =>
      said(
        isAmbiguous ? `\`${run}\` matches several queued runs` : `no queued run \`${run}\``,
        queued.length === 0 ? 'the queue is empty' : `queued runs: ${quoted(queued)}`,
      ),
  ),
  'workspace-kept': form('held', ({ held }: { readonly held: Held }) =>
    said(`this workspace is already kept by ${holderText(held)}`),
  ),
  'workspace-served': form(
    'held',
    ({
      workspace,
      url,
      held,
    }: {
      readonly workspace: string;
      readonly url?: string | undefined;
      readonly held: Held;
    }) =>
      said(
        `${workspace} is already served${url === undefined ? '' : ` at ${url}`} by ${holderText(held)}`,
        'open that page, or stop that process first',
      ),
  ),
  'not-served': form('not-found', ({ workspace }: { readonly workspace: string }) =>
    said(`no server serves ${workspace}`, advice`start one with ${command('serve')}`),
  ),
  'no-service-manager': form('invalid', () =>
    said(
      'this system has neither systemd nor launchd',
      advice`configure your system to start ${command('serve')}`,
    ),
  ),
  'unit-of-user': form('conflict', ({ path }: { readonly path: string }) =>
    said(
      `\`${path}\` was not written by Orchestrate, or was changed since`,
      'it is left as it is; remove it, or change it yourself',
    ),
  ),
  'token-not-kept': form('failed', ({ code }: { readonly code: string }) =>
    said(`cannot keep the token of the page: ${errnoWords(code)}`),
  ),
});
