import type { Command } from 'commander';
import { cancelRun } from '../../engine/cancel-run.ts';
import { resumeRun } from '../../engine/local-run.ts';
import { openProcesses } from '../../engine/open-processes.ts';
import { runMark } from '../../process/environment.ts';
import { endLeftProcesses } from '../../process/terminate-tree.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { holderHelp, holderText } from '../../store/describe-held.ts';
import { errnoOf } from '../../store/errno.ts';
import { runPaths } from '../../store/layout.ts';
import { heldBy } from '../../store/lock.ts';
import { hasFinally } from '../../workflow/has-finally.ts';
import { secretNames } from '../../workflow/secret-names.ts';
import type { CliContext } from '../context.ts';
import { execute } from '../execute.ts';
import { EXIT } from '../exit-codes.ts';
import { findRunOrTell } from '../find-run.ts';
import { currentInput, type ReadRun, readRunOrTell } from '../read-run.ts';
import { isOwn } from '../trust/own-run.ts';

const ENDED: ReadonlySet<string> = new Set(['completed', 'cancelled', 'failed']);

export function define(command: Command, context: CliContext): void {
  command
    .argument('<run>', 'its id, the beginning of it, or `last`')
    .addHelpText('after', '\nExample:\n  orchestrate cancel last')
    .action(async (text: string) => {
      context.exitCode = await cancel(context, text);
    });
}

async function cancel(context: CliContext, text: string): Promise<number> {
  const runId = findRunOrTell(context, text);
  if (runId === undefined) return EXIT.usage;
  const run = readRunOrTell(context, runId);
  if (run === undefined) return EXIT.failed;
  if (ENDED.has(run.state.status)) {
    context.err(`run \`${runId}\` is ${run.state.status}: nothing to do\n`);
    return EXIT.done;
  }
  const paths = runPaths(context.workspace, runId);
  const held = heldBy(paths.lock);
  if (held !== undefined) {
    const { owner } = held;
    if (held.doubt !== undefined) {
      context.err(
        `error: run \`${runId}\` is being run by ${holderText(held)}\nhelp: cancel it there; ${holderHelp(held)}\n`,
      );
      return EXIT.held;
    }
    // Asked before anything is written.
    if (signal(owner.pid, 0) === 'refused') {
      context.err(
        `error: run \`${runId}\` is being run by process ${owner.pid} of another user, which takes no signal from this one\nhelp: cancel it as that user\n`,
      );
      return EXIT.held;
    }
    replaceFile(paths.cancelRequest, `${JSON.stringify({ at: new Date().toISOString() })}\n`, {
      mode: 0o600,
    });
    const isTold = signal(owner.pid, 'SIGTERM') === 'told';
    context.err(
      `run \`${runId}\`: process ${owner.pid} ${isTold ? 'was told to end it' : 'has just ended it'}\n`,
    );
    return EXIT.done;
  }
  if (run.started.kind === 'workflow' && hasFinally(currentInput(run).definition)) {
    if (isOwn(run)) return tidyUp(context, run);
    context.err(`warning: you did not start run \`${runId}\` here: its \`finally\` is not run\n`);
  }
  await endLeftProcesses(runMark({ runId, directory: paths.directory }), {
    graceMs: 5000,
    started: openProcesses(run.events),
  });
  const cancelled = await cancelRun(context.workspace, runId);
  if (cancelled.type === 'error') {
    context.err(`error: run \`${runId}\` cannot be cancelled: ${cancelled.error}\n`);
    return EXIT.failed;
  }
  context.err(`run \`${runId}\` is cancelled\n`);
  return EXIT.done;
}

/** A run that nobody runs, and whose `finally` has not been done. */
async function tidyUp(context: CliContext, run: ReadRun): Promise<number> {
  const { runId } = run;
  const input = currentInput(run);
  const { end, exitCode } = await execute({
    context,
    runId,
    title: run.started.title,
    history: run.events,
    output: {},
    secrets: secretNames(input.definition),
    ...(input.cassette === undefined ? {} : { cassette: input.cassette }),
    tidiesUp: true,
    isCancelled: true,
    begin: (host, signal) => resumeRun(host, { workspace: context.workspace, runId }, signal),
  });
  return end === undefined ? exitCode : EXIT.done;
}

/** `gone`: it has ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals | 0): 'told' | 'gone' | 'refused' {
  try {
    process.kill(pid, name);
    return 'told';
  } catch (cause) {
    return errnoOf(cause) === 'EPERM' ? 'refused' : 'gone';
  }
}
