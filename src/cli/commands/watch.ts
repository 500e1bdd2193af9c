import type { Command } from 'commander';
import { onStopSignal } from '../../host/stop-signals.ts';
import { watchedFile } from '../../operations/starting/watched-file.ts';
import { concerns, contentsOf, digestAt } from '../../operations/workflows/watched.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { path } from '../path-argument.ts';
import { addOutputOptions } from '../run-options.ts';
import { prepareAndRun } from '../running/carry-out.ts';
import { givenContext } from '../running/given-context.ts';
import { prepareWorkflow, type RunFlags } from '../running/run-workflow.ts';
import { siteOf } from '../site.ts';
import { addRunFlags } from './run.ts';

/** Editors save in bursts: wait until they are done. */
const SETTLE_MS = 100;

export function define(command: Command, context: CliContext): void {
  addOutputOptions(addRunFlags(command.argument('<workflow>', 'workflow file (YAML or TypeScript)', path)))
    .addHelpText('after', '\nExample:\n  orchestrate watch workflows/docs.yaml')
    .action(async (file: string, flags: RunFlags) => {
      context.exitCode = await watch(context, file, flags);
    });
}

/** Runs the workflow, then again after every change, until a signal ends it. A change during a run queues one more run. */
async function watch(context: CliContext, file: string, flags: RunFlags): Promise<number> {
  const { watch: watchFolder } = await import('chokidar');
  const given = givenContext(flags);
  const values = given.type === 'ok' ? given.value : {};
  const prepare = prepareWorkflow(context, file, flags);
  const site = siteOf(context);
  let watched = await watchedFile(site, { file, given: values });
  let contents = contentsOf(context.workspace, watched);
  const changes = createChanges((path) => contents.get(path) !== digestAt(context.workspace, path));
  const watcher = watchFolder(context.workspace, {
    ignoreInitial: true,
    ignored: (path) =>
      /(^|\/)(\.orchestrate|\.git|node_modules)(\/|$)/.test(path.slice(context.workspace.length)),
  });
  const end = new AbortController();
  // Signals that stop a run also stop watching.
  const stopListening = onStopSignal(() => end.abort());
  watcher.on('all', (_event, path) => {
    const relative = path.slice(context.workspace.length + 1);
    if (concerns(watched, relative)) changes.add(relative);
  });
  await new Promise<void>((ready) => watcher.once('ready', () => ready()));
  try {
    while (!end.signal.aborted) {
      watched = await watchedFile(site, { file, given: values, before: watched });
      contents = contentsOf(context.workspace, watched);
      await prepareAndRun(context, prepare, flags);
      if (end.signal.aborted) break;
      context.err(`watching ${watched.sources.join(', ')} and the files it reads; press Ctrl-C to stop\n`);
      const changed = await changes.next(end.signal);
      if (changed !== undefined) context.err(`changed: ${changed.join(', ')}\n`);
    }
    return EXIT.done;
  } finally {
    stopListening();
    await watcher.close();
  }
}

interface Changes {
  add(path: string): void;
  /** Paths changed since the last call, once changes have settled; undefined when ended. */
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
