import { resolve } from 'node:path';
import type { Command } from 'commander';
import { closeFile } from '../../model/close-file.ts';
import { digestOfFile } from '../../store/digest.ts';
import { findFiles } from '../../store/glob.ts';
import { matchesPattern } from '../../store/glob-pattern.ts';
import { openInside } from '../../store/safe-path.ts';
import { type WatchedFiles, watchedFiles } from '../../workflow/watched-files.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { loadOrTell } from '../load.ts';
import { contextFrom } from '../run-context.ts';
import { addOutputOptions } from '../run-options.ts';
import { startWorkflow } from '../start-workflow.ts';
import { addRunFlags, type RunFlags } from './run.ts';

/** Editors save in bursts. */
const SETTLE_MS = 100;
/** What ends a run ends the watching too. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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
  const given = givenKeys(flags);
  let watched = watchedOf(context, { file, given });
  let contents = contentsOf(context.workspace, watched);
  const changes = createChanges((path) => contents.get(path) !== digestAt(context.workspace, path));
  const watcher = watchFolder(context.workspace, {
    ignoreInitial: true,
    ignored: (path) =>
      /(^|\/)(\.orchestrate|\.git|node_modules)(\/|$)/.test(path.slice(context.workspace.length)),
  });
  const end = new AbortController();
  const stop = () => end.abort();
  for (const signal of SIGNALS) process.on(signal, stop);
  watcher.on('all', (_event, path) => {
    const relative = path.slice(context.workspace.length + 1);
    if (concerns(watched, relative)) changes.add(relative);
  });
  await new Promise<void>((ready) => watcher.once('ready', () => ready()));
  try {
    while (!end.signal.aborted) {
      watched = watchedOf(context, { file, given, before: watched });
      contents = contentsOf(context.workspace, watched);
      await startWorkflow(context, file, flags);
      if (end.signal.aborted) break;
      context.err(`watching ${watched.sources.join(', ')} and what it reads; Ctrl+C ends\n`);
      const changed = await changes.next(end.signal);
      if (changed !== undefined) context.err(`changed: ${changed.join(', ')}\n`);
    }
    return EXIT.done;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    await watcher.close();
  }
}

interface Watched {
  readonly file: string;
  /** Context keys from the command line. */
  readonly given: readonly string[];
  readonly before?: WatchedFiles;
}

/** A workflow that is broken for the moment is watched as it was. */
function watchedOf(context: CliContext, { file, given, before }: Watched): WatchedFiles {
  const loaded = loadOrTell({ ...context, err: () => {} }, file, { extraContext: given });
  if (loaded !== undefined) return watchedFiles(loaded);
  const relative = resolve(context.workspace, file).slice(context.workspace.length + 1);
  return before ?? { sources: [relative], inputs: [], outputs: [] };
}

function givenKeys(flags: RunFlags): readonly string[] {
  const given = contextFrom({
    pairs: flags.context ?? [],
    ...(flags.contextFile === undefined ? {} : { file: flags.contextFile }),
  });
  return given.type === 'ok' ? Object.keys(given.value) : [];
}

/**
 * The contents a run begins with. A file that is written again with the same contents, as a step does that prepares a prompt, is
 * not changed.
 */
function contentsOf(workspace: string, watched: WatchedFiles): ReadonlyMap<string, string> {
  const found = watched.inputs.flatMap((glob) => {
    const files = findFiles(workspace, glob);
    return files.type === 'ok' ? files.value : [];
  });
  const contents = new Map<string, string>();
  for (const path of [...watched.sources, ...found]) {
    const digest = digestAt(workspace, path);
    if (digest !== undefined) contents.set(path, digest);
  }
  return contents;
}

function digestAt(workspace: string, path: string): string | undefined {
  const opened = openInside(workspace, path, { to: 'read' });
  if (opened.type === 'error') return undefined;
  try {
    return digestOfFile(opened.value.fd);
  } catch {
    return undefined;
  } finally {
    closeFile(opened.value.fd);
  }
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

function createChanges(isChanged: (path: string) => boolean): Changes {
  const paths = new Set<string>();
  let wake: () => void = () => {};
  return {
    add(path) {
      paths.add(path);
      wake();
    },
    async next(signal) {
      for (;;) {
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
        const changed = [...paths].filter(isChanged);
        paths.clear();
        if (changed.length > 0) return changed;
      }
    },
  };
}
