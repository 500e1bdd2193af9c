/** One run from its beginning, or from where it was left, to the process's exit code: what every running command shares. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { EffectMap } from '../effects/contracts.ts';
import type { CassetteUse } from '../effects/run-agent.ts';
import type { ResumeProblem, RunEnd, RunHost } from '../engine/local-run.ts';
import { TIDY_UP_MS } from '../engine/run-stop.ts';
import { describeFailure } from '../model/describe-failure.ts';
import type { JournalEvent, RunEvent } from '../model/event.ts';
import type { RunId } from '../model/ids.ts';
import type { Result } from '../model/result.ts';
import { valuesToMask } from '../process/environment.ts';
import { createReporter } from '../report/create-reporter.ts';
import { createLogFile } from '../report/log-file.ts';
import type { Reporter } from '../report/reporter.ts';
import { columnsOf } from '../report/text/width.ts';
import { holderHelp, holderText } from '../store/describe-held.ts';
import { runPaths } from '../store/layout.ts';
import { openPlainTo } from '../store/plain-file.ts';
import { composeHost } from './compose.ts';
import type { CliContext } from './context.ts';
import { tellDamage } from './describe-damage.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { listenForInterrupts } from './interrupts.ts';
import { levelOf, type OutputOptions } from './run-options.ts';
import { lostOutput } from './standard-output.ts';

export interface Execution {
  readonly context: CliContext;
  readonly runId: RunId;
  /** Of a run that is gone on with; a new one tells it itself. */
  readonly title?: string;
  /** What the run had put down before, and a fork shares. */
  readonly history?: readonly JournalEvent[];
  readonly output: OutputOptions;
  readonly cassette?: CassetteUse;
  /** Names of environment variables whose values must reach no file. */
  readonly secrets: readonly string[];
  /** Values that stand in no variable and are kept out of every file of the run all the same. */
  readonly secretValues?: readonly string[];
  /** There are steps that are done at the end whatever happened. */
  readonly tidiesUp?: boolean;
  /** The run is to be ended: nothing but what is done at the end is begun. */
  readonly isCancelled?: boolean;
  /** In place of the common view. */
  readonly reporter?: Reporter;
  begin(host: RunHost<EffectMap>, signal: AbortSignal): Promise<Result<RunEnd, ResumeProblem>>;
}

export interface Executed {
  readonly exitCode: number;
  readonly end?: RunEnd;
}

export async function execute(execution: Execution): Promise<Executed> {
  const { context, runId } = execution;
  const paths = runPaths(context.workspace, runId);
  const reporter = execution.reporter ?? (await reporterFor(execution));
  const log = createLogFile({
    path: paths.orchestratorLog,
    open: () => openPlainTo(paths.orchestratorLog, { to: 'append' }),
    run: { runId, title: execution.title ?? '' },
    onProblem: (problem) => context.err(`warning: ${problem}\n`),
  });
  const host = composeHost({
    dist: context.dist,
    showsOutput: execution.output.verbose === true,
    secrets: [
      ...valuesToMask({ ...process.env } as Record<string, string>, execution.secrets),
      ...(execution.secretValues ?? []),
    ],
    ...(execution.cassette === undefined ? {} : { cassette: execution.cassette }),
    onEvent: (event: RunEvent) => {
      log.event(event);
      reporter.event(event);
    },
  });
  const interrupts = listenForInterrupts({
    cancelRequest: () => paths.cancelRequest,
    isCancelled: execution.isCancelled === true,
    onFirst: (stop, signal) =>
      reporter.say(
        stop.type === 'cancelled' && execution.tidiesUp === true
          ? `cancelled: ending what runs, then \`finally\` within ${TIDY_UP_MS / 60_000} minutes; once more ends that too`
          : `${signal}: ending what runs; once more ends at once`,
      ),
    onSecond: () => context.err(`to go on: orchestrate resume ${runId}\n`),
  });
  try {
    const result = await execution.begin(host, interrupts.signal);
    reporter.close();
    if (result.type === 'error') return { exitCode: tellProblem(context, runId, result.error) };
    // Whoever was to read it there has not heard it.
    if (lostOutput() !== undefined) context.err(`run \`${runId}\` is ${result.value.status}\n`);
    return { exitCode: exitCodeOf(result.value), end: result.value };
  } finally {
    interrupts.dispose();
    log.close();
    host.close();
  }
}

async function reporterFor({ context, output, runId, title, history }: Execution): Promise<Reporter> {
  const level = levelOf(output);
  const showsTools = level === 'verbose';
  // Asking what stderr is costs start-up time; who says next to nothing need not know.
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
    run: { runId, title: title ?? '', ...(history === undefined ? {} : { history }) },
    ...(showsTools
      ? { renderAgentEvent: (await import('../agents/tool-display.ts')).createToolDisplay() }
      : {}),
  });
}

function tellProblem(context: CliContext, runId: RunId, problem: ResumeProblem): number {
  switch (problem.type) {
    case 'no-such-run':
      context.err(
        `error: there is no run \`${runId}\` here\nhelp: \`orchestrate runs\` lists the runs of this workspace\n`,
      );
      return EXIT.usage;
    case 'held': {
      const help =
        holderHelp(problem.held) ??
        `\`orchestrate logs ${runId} -f\` follows it, \`orchestrate cancel ${runId}\` ends it`;
      context.err(`error: run \`${runId}\` is being run by ${holderText(problem.held)}\nhelp: ${help}\n`);
      return EXIT.held;
    }
    case 'damaged':
      context.err(tellDamage(runId, problem.damage));
      return EXIT.failed;
    case 'cannot-write': {
      const isThere = fs.existsSync(runPaths(context.workspace, runId).journal);
      const then = isThere
        ? `\`orchestrate resume ${runId}\` goes on`
        : 'start it again: nothing was started';
      const { failure } = problem;
      const first =
        failure.type === 'file' && failure.code === 'ELOOP'
          ? 'replace the link (to keep it on another disk, use a mount)'
          : 'make room or give permission';
      context.err(`error: ${describeFailure(failure)}\nhelp: ${first}, then ${then}\n`);
      return EXIT.failed;
    }
  }
}

export function relativeToWorkspace(context: CliContext, path: string): string {
  const prefix = join(context.workspace, '/');
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
