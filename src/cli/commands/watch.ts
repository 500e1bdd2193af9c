import { resolve } from 'node:path';
import type { Command } from 'commander';
import { matchesPattern } from '../../store/glob-pattern.ts';
import { type WatchedFiles, watchedFiles } from '../../workflow/watched-files.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { loadOrTell } from '../load.ts';
import { addOutputOptions } from '../run-options.ts';
import { startWorkflow } from '../start-workflow.ts';
import { addRunFlags, type RunFlags } from './run.ts';

/** Editors save in bursts. */
const SETTLE_MS = 100;

export function define(command: Command, context: CliContext): void {
  addOutputOptions(addRunFlags(command.argument('<workflow>', 'the YAML file')))
    .addHelpText('after', '\nExample:\n  orchestrate watch workflows/docs.yaml')
    .action(async (file: string, flags: RunFlags) => {
      context.exitCode = await watch(context, file, flags);
    });
}

/** Runs, then runs again after every change, until it is told to end. A change during a run queues one more run. */
async function watch(context: CliContext, file: string, flags: RunFlags): Promise<number> {
  const { watch: watchFolder } = await import('chokidar');
  const changes = createChanges();
  let watched = watchedOf(context, file, undefined);
  const watcher = watchFolder(context.workspace, {
    ignoreInitial: true,
    ignored: (path) =>
      /(^|\/)(\.orchestrate|\.git|node_modules)(\/|$)/.test(path.slice(context.workspace.length)),
  });
  const end = new AbortController();
  const stop = () => end.abort();
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  watcher.on('all', (_event, path) => {
    const relative = path.slice(context.workspace.length + 1);
    if (concerns(watched, relative)) changes.add(relative);
  });
  await new Promise<void>((ready) => watcher.once('ready', () => ready()));
  try {
    while (!end.signal.aborted) {
      await startWorkflow(context, file, flags);
      if (end.signal.aborted) break;
      watched = watchedOf(context, file, watched);
      context.err(`watching ${watched.sources.join(', ')} and what it reads; Ctrl+C ends\n`);
      const changed = await changes.next(end.signal);
      if (changed !== undefined) context.err(`changed: ${changed.join(', ')}\n`);
    }
    return EXIT.done;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    await watcher.close();
  }
}

/** A workflow that is broken for the moment is watched as it was. */
function watchedOf(context: CliContext, file: string, before: WatchedFiles | undefined): WatchedFiles {
  const loaded = loadOrTell({ ...context, err: () => {} }, file, []);
  if (loaded !== undefined) return watchedFiles(loaded);
  const relative = resolve(context.workspace, file).slice(context.workspace.length + 1);
  return before ?? { sources: [relative], inputs: [], outputs: [] };
}

function concerns(watched: WatchedFiles, path: string): boolean {
  if (watched.sources.includes(path)) return true;
  return (
    watched.inputs.some((glob) => matchesPattern(glob, path)) &&
    !watched.outputs.some((glob) => matchesPattern(glob, path))
  );
}

interface Changes {
  add(path: string): void;
  /** What has changed since the last answer, once it has settled; undefined when ended. */
  next(signal: AbortSignal): Promise<readonly string[] | undefined>;
}

function createChanges(): Changes {
  const paths = new Set<string>();
  let wake: () => void = () => {};
  return {
    add(path) {
      paths.add(path);
      wake();
    },
    async next(signal) {
      while (paths.size === 0 && !signal.aborted) {
        await new Promise<void>((resume) => {
          wake = resume;
          signal.addEventListener('abort', () => resume(), { once: true });
        });
      }
      if (signal.aborted) return undefined;
      for (let before = -1; before !== paths.size; ) {
        before = paths.size;
        await new Promise((settled) => setTimeout(settled, SETTLE_MS));
      }
      const changed = [...paths];
      paths.clear();
      return changed;
    },
  };
}
