/** Carries out a plan in this terminal, up to the exit code of the process. Every command that runs something uses it. */
import fs from 'node:fs';
import { carryOut, type RunEnd, TIDY_UP_MS } from '../../host/carrying/carry-out.ts';
import type { TakenHold } from '../../host/hold.ts';
import { listenForInterrupts } from '../../host/interrupts.ts';
import { defined } from '../../model/defined.ts';
import type { Result } from '../../model/result.ts';
import { typedCommand } from '../../model/typed-command.ts';
import { workspaceConfigPath } from '../../operations/config/places.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import { createReporter } from '../../report/create-reporter.ts';
import type { Reporter } from '../../report/live/reporter.ts';
import type { Tally } from '../../report/live/tally.ts';
import { renderDiagnostics } from '../../report/render-diagnostic.ts';
import { columnsOf } from '../../report/text/width.ts';
import type { CliContext } from '../context.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import {
  type DetachOption,
  type EngineOption,
  levelOf,
  type OutputOptions,
  type TrustOption,
} from '../run-options.ts';
import { siteOf } from '../site.ts';
import { lostOutput } from '../standard-output.ts';
import { withTrust } from '../trust/with-trust.ts';

export interface Watching {
  readonly output: OutputOptions;
  /** Replaces the usual view; created when the run is about to start. */
  reporter?(): Reporter;
  onHold?(taken: TakenHold): void;
  /** Called once, when the first event of the run is recorded. */
  onBegun?(): void;
  /** What the run's earlier events add up to, if they were read already. */
  readonly tally?: Tally;
}

export interface CarriedOut {
  readonly exitCode: number;
  /** Undefined if the run was not started; the problem has been printed. */
  readonly end?: RunEnd;
  /** What it changed is in the hub: the documents here are older. */
  readonly isElsewhere?: boolean;
}

/** Prepares a run, asks the user to trust what its files set if needed, and carries it out. */
export async function prepareAndRun(
  context: CliContext,
  prepare: () => Result<Prepared, Problem> | Promise<Result<Prepared, Problem>>,
  flags: OutputOptions & TrustOption & DetachOption & EngineOption,
): Promise<CarriedOut> {
  const prepared = await withTrust(context, flags, prepare);
  if (prepared === 'not-trusted') return { exitCode: EXIT.usage };
  if (prepared.type === 'error') return { exitCode: refuse(context, prepared.error) };
  return carryOutHere(context, prepared.value, { output: flags });
}

/** In this process, with `--detach` in one of its own, or on workers. */
export async function carryOutHere(
  context: CliContext,
  prepared: Prepared,
  watching: Watching & { readonly output: DetachOption & TrustOption & EngineOption },
): Promise<CarriedOut> {
  const { plan } = prepared;
  // A run of this machine stays here when it is resumed.
  const isGiven = plan.begin.type === 'new' && watching.output.engine === true;
  if (plan.onWorkers === true || isGiven) {
    const { carryOutOnWorkers } = await import('./engine-run.ts');
    return carryOutOnWorkers(context, prepared, watching);
  }
  await askAboutNotices(context, watching.output);
  if (watching.output.detach !== true) return carryOutNow(context, prepared, watching);
  const { detachHere } = await import('./detach.ts');
  return { exitCode: await detachHere(context, prepared, watching.output) };
}

/** The run starts in any case: what is not trusted is not sent, and the run says so. */
async function askAboutNotices(context: CliContext, flags: TrustOption): Promise<void> {
  const site = siteOf(context);
  // First the file: looking at the terminal loads a part of Node that every run would pay for.
  if (!fs.existsSync(workspaceConfigPath(site.workspace))) return;
  const canAnswer = flags.trust === true || (process.stdin.isTTY === true && process.stderr.isTTY === true);
  if (!canAnswer) return;
  const { mayNotify } = await import('../../operations/config/find-channels.ts');
  await withTrust(context, flags, () => mayNotify(site));
}

async function carryOutNow(
  context: CliContext,
  prepared: Prepared,
  { output, reporter: own, onHold, onBegun, tally }: Watching,
): Promise<CarriedOut> {
  const { plan, loop } = prepared;
  let hasBegun = false;
  const begun = (): void => {
    if (!hasBegun) onBegun?.();
    hasBegun = true;
  };
  const { runId } = plan;
  let reporter: Reporter | undefined;
  const say = (text: string): void => {
    if (reporter === undefined) context.err(`${text}\n`);
    else reporter.say(text);
  };
  const interrupts = listenForInterrupts({
    plan,
    onFirst: (stop, signal) => {
      say(
        stop.type === 'cancelled' && plan.tidiesUp === true
          ? `Cancelled: stopping running steps, then running \`finally\` (at most ${TIDY_UP_MS / 60_000} minutes). A second signal skips it.`
          : stoppingText(signal, plan.tidiesUp === true),
      );
      reporter?.stopping?.();
    },
    onSecond: (signal) => {
      context.err(`Resume with: ${loop?.again.toResume ?? typedCommand(`resume ${runId}`)}\n`);
      process.exit(EXIT.interrupted[signal]);
    },
  });
  try {
    const ended = await carryOut(plan, {
      site: siteOf(context),
      ...defined({ history: prepared.history }),
      dist: context.dist,
      showsOutput: levelFor(prepared, output) === 'verbose',
      ...defined({ onHold }),
      onReady: async () => {
        sayBefore(context, prepared);
        reporter = own?.() ?? (await reporterFor(context, prepared, { output, ...defined({ tally }) }));
      },
      onEvent: (event) => {
        begun();
        reporter?.event(event);
      },
      // A loop prints messages above its panel.
      onProblem: (problem) =>
        loop === undefined ? context.err(`warning: ${problem}\n`) : say(`warning: ${problem}`),
      signal: interrupts.signal,
    });
    reporter?.close();
    if (ended.type === 'error') return { exitCode: refuse(context, ended.error) };
    begun();
    // The reader of standard output did not get it.
    if (lostOutput() !== undefined) context.err(`run \`${runId}\` is ${ended.value.status}\n`);
    return { exitCode: exitCodeOf(ended.value), end: ended.value };
  } finally {
    interrupts.dispose();
  }
}

/** Warnings about the workflow, and notes. */
export function sayBefore(context: CliContext, { warnings = [], notes = [] }: Prepared): void {
  if (warnings.length > 0) context.err(renderDiagnostics(warnings, { color: context.color.stderr }));
  for (const note of notes) context.err(`${note}\n`);
}

function stoppingText(signal: string, tidiesUp: boolean): string {
  const then = tidiesUp ? `, then running \`finally\` (at most ${TIDY_UP_MS / 60_000} minutes)` : '';
  return signal === 'SIGINT'
    ? `Interrupted: stopping running steps${then}. Press Ctrl-C again to force quit.`
    : `Received ${signal}: stopping running steps${then}. A second signal forces it to quit.`;
}

export async function reporterFor(
  context: CliContext,
  prepared: Prepared,
  { output, tally }: Watching,
): Promise<Reporter> {
  const { plan, earlier, loop } = prepared;
  const level = levelFor(prepared, output);
  if (loop !== undefined && level !== 'json')
    return (await import('../loop-view/loop-reporter.ts')).createLoopReporter(context, {
      loop,
      level,
      history: earlier ?? [],
    });
  const showsTools = level === 'verbose';
  // Looking at stderr costs start-up time, so skip it for levels that print almost nothing.
  const talks = level === 'progress' || level === 'verbose';
  return createReporter({
    level,
    terminal: {
      isTerminal: talks && process.stderr.isTTY === true,
      columns: () => columnsOf(process.stderr),
    },
    color: talks && context.color.stderr,
    out: context.out,
    err: context.screen,
    run: {
      runId: plan.runId,
      title: plan.begin.type === 'new' ? '' : plan.title,
      ...defined({ history: earlier }),
    },
    ...defined({ tally }),
    ...(showsTools
      ? { renderAgentEvent: (await import('../../host/tool-display.ts')).createToolDisplay() }
      : {}),
  });
}

/** For a loop, its settings give the default level. */
export function levelFor({ loop }: Prepared, output: OutputOptions): ReturnType<typeof levelOf> {
  const level = levelOf(output);
  return loop !== undefined && level === 'progress' ? loop.level : level;
}
