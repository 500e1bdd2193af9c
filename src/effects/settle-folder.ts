/** Brings everything below a folder to the disk. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { EffectContext } from '../engine/durable.ts';
import { childEnvironment, runMark } from '../process/environment.ts';
import type { RunProcess } from '../process/run-process.ts';
import { syncFile } from '../store/sync-file.ts';
import { syncFolder } from '../store/write-whole.ts';

const NOTHING = { files: [], headBytes: 0, tailBytes: 0 } as const;

/** One call of `sync` for the file system: thousands of files would each wait for the disk. Where it has no such option, they do. */
export async function settleFolder(run: RunProcess, context: EffectContext, folder: string): Promise<void> {
  const end = await run({
    argv: ['sync', '--file-system', folder],
    cwd: folder,
    env: childEnvironment({
      base: process.env,
      add: {},
      runId: context.run.runId,
      runMark: runMark(context.run),
      key: context.key,
    }),
    stdin: { type: 'none' },
    stdout: NOTHING,
    stderr: NOTHING,
    mask: [],
    signal: context.signal,
  });
  context.signal.throwIfAborted();
  if (end.type === 'not-started' || end.exitCode !== 0) syncEach(folder);
}

function syncEach(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncEach(path);
    else if (entry.isFile()) syncFile(path);
  }
  syncFolder(folder);
}
