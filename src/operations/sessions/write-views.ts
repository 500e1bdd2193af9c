import type { KeptFile } from '../../model/kept-file.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { broken } from '../../session/sessions/sessions.ts';
import { writeViews as write } from '../../session/views/write-views.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { keptFiles } from './kept-files.ts';
import { openSession } from './open-session.ts';

/** Paths relative to the workspace. */
export interface ViewsWritten {
  readonly written: readonly string[];
  /** Summaries of tasks that are not completed. */
  readonly removed: readonly string[];
  readonly kept: readonly KeptFile[];
}

export async function writeViews(
  site: Pick<Site, 'workspace'>,
  { session: name }: { readonly session?: string | undefined },
): Promise<Result<ViewsWritten, Problem>> {
  const session = openSession(site, name);
  if (session.type === 'error') return session;
  const { paths } = session.value;
  const done = await write(paths);
  if (done.type === 'error') return error(broken(done.error));
  const { written, removed, kept } = done.value;
  const at = (file: string): string => `${paths.relative}/${file}`;
  return ok({ written: written.map(at), removed: removed.map(at), kept: keptFiles(session.value, kept) });
}
