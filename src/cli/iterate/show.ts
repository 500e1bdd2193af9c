import fs from 'node:fs';
import { shownSetting, shownSettings } from '../../iterate/config/notify-address.ts';
import { parseStatus, readTodo, remainingIn, remainingInTodo } from '../../iterate/workspace/status.ts';
import { readTextIfThere } from '../../iterate/workspace/workspaces.ts';
import { momentText } from '../../report/text/amounts.ts';
import { limitText } from '../../report/text/limit.ts';
import { printableLine } from '../../report/text/printable.ts';
import { isHeld, readLock } from '../../store/lock-file.ts';
import { type IterateSite, type OpenedWorkspace, openWorkspace } from './site/site.ts';
import { usageLimitOf } from './site/usage-limit.ts';

export function show(site: IterateSite, name: string, flags: { readonly json?: boolean }): void {
  const { context } = site;
  const workspace = openWorkspace(site, name);
  if (workspace === undefined) return;
  const { paths, metadata } = workspace;
  const text = readTextIfThere(paths.status);
  const status = text === undefined ? undefined : parseStatus(text);
  const owner = runningPid(workspace);
  const limit = usageLimitOf(context, metadata);
  if (flags.json === true) {
    const now = status?.type === 'ok' ? status.value : null;
    context.out(
      `${JSON.stringify({ ...shownSettings(metadata), path: paths.folder, statusFile: now, runningPid: owner ?? null, ...(limit && { usageLimit: limit }) }, null, 2)}\n`,
    );
    return;
  }
  const rows: (readonly [string, string | undefined])[] = [
    ['Workspace', name],
    ['Path', paths.folder],
    ['Status', `${metadata.status}${metadata.stopReason === undefined ? '' : ` (${metadata.stopReason})`}`],
    ['Running', owner === undefined ? undefined : `process ${owner}`],
    ['Waiting', limit === undefined ? undefined : limitText(limit, Date.now())],
    ['Mode', metadata.mode],
    ['Created', momentText(metadata.created)],
    ['Last run', metadata.lastRun === undefined ? 'never' : momentText(metadata.lastRun)],
    [
      'Iterations',
      `${metadata.totalIterations} (setup ${metadata.setupIterations}, execution ${metadata.executionIterations})`,
    ],
    [
      'Last run at',
      metadata.run === undefined
        ? undefined
        : `iteration ${metadata.run.iteration}/${metadata.run.maxIterations}, run ${metadata.run.id}`,
    ],
    ['Max iterations', String(metadata.maxIterations ?? '')],
    ['Delay', metadata.delay === undefined ? undefined : `${metadata.delay} s`],
    [
      'Stagnation',
      metadata.stagnationThreshold === undefined
        ? undefined
        : `after ${metadata.stagnationThreshold} (0: never)`,
    ],
    ['Instructions', fs.existsSync(paths.instructions) ? 'yes' : `no: claude-iterate setup ${name}`],
    ...progressRows(workspace, status),
    ['Verification', metadata.verification?.lastVerificationStatus],
    ['Notify', shownSetting('notifyUrl', metadata.notifyUrl)],
  ];
  context.out(
    rows
      .filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '')
      .map(([title, value]) => `${`${title}:`.padEnd(16)}${printableLine(value)}\n`)
      .join(''),
  );
}

function progressRows(
  { paths }: OpenedWorkspace,
  status: ReturnType<typeof parseStatus> | undefined,
): readonly (readonly [string, string | undefined])[] {
  if (status?.type === 'ok') {
    const { progress, summary, complete, blockers } = status.value;
    const remaining = remainingIn(status.value);
    return [
      ['Complete', complete ? 'yes' : 'no'],
      [
        'Progress',
        progress === undefined
          ? undefined
          : `${progress.completed}/${progress.total} items (${remaining} remaining)`,
      ],
      ['Summary', summary],
      ['Blockers', blockers?.join('; ')],
    ];
  }
  const remaining = remainingInTodo(readTodo(readTextIfThere(paths.todo) ?? ''));
  return [
    ['Status file', status === undefined ? 'none yet' : `cannot be used: ${status.error}`],
    ['Remaining', remaining === undefined ? undefined : `${remaining} (by TODO.md)`],
  ];
}

/** The process that runs the workspace's loop now. */
export function runningPid({ paths }: Pick<OpenedWorkspace, 'paths'>): number | undefined {
  const lock = readLock(paths.lock);
  return lock !== undefined && isHeld(lock) ? lock.owner.pid : undefined;
}
