/** Works through the queue of loops in a process of its own that outlives this one. What it prints is in `.orchestrate/keeper/loops.log`. */
import { closeFile } from '../../model/close-file.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Site } from '../../operations/site.ts';
import { reportStart, startDetached } from '../../process/start-detached.ts';
import { keeperPaths } from '../../store/layout.ts';
import { openPlainTo, readPlainText } from '../../store/plain-file.ts';
import { removeFile } from '../../store/remove-file.ts';

export async function startDetachedQueue(
  { maxParallel, workspacesDir }: { readonly maxParallel: number; readonly workspacesDir?: string },
  { site, program }: { readonly site: Site; readonly program: readonly string[] },
): Promise<Result<unknown, Problem>> {
  const { loopsLog: log } = keeperPaths(site.workspace);
  removeFile(log);
  const fd = openPlainTo(log, { to: 'create' });
  try {
    const started = await startDetached({
      argv: [
        ...[
          ...program,
          'iterate',
          ...(workspacesDir === undefined ? [] : ['--workspaces-dir', workspacesDir]),
        ],
        ...['queue', 'run', '--max-parallel', String(maxParallel), '--detached'],
      ],
      cwd: site.workspace,
      env: site.environment,
      input: '',
      output: fd,
    });
    if (started.type === 'begun') return ok(undefined);
    const [said = ''] = started.type === 'ended' ? readPlainText(log).split('\n', 1) : [];
    return error({ type: 'queue-not-started', reason: said.replace(/^error: /, '') });
  } finally {
    closeFile(fd);
  }
}

/** Called by that process when it holds the queue. */
export function reportQueueBegun(): void {
  reportStart();
}
