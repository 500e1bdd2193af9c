/**
 * The child's output comes through pipes: masked, written to files, partly kept in memory, shown as it arrives.
 *
 * Files are written synchronously as a chunk arrives, which also limits the rate: a child is read no faster than its
 * output reaches the files, and nothing queues up in between.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import type { Readable } from 'node:stream';
import { closeFile } from '../model/close-file.ts';
import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import { CallerTrouble } from './caller-trouble.ts';
import { type Exit, exitCodeOf, type MarkedRequest } from './exit.ts';
import { attempt, errorCode } from './file-failure.ts';
import { Limits } from './limits.ts';
import { type NamedPipe, openNamedPipes } from './named-pipes.ts';
import { OutputSink } from './output-sink.ts';
import { startTimeOf } from './process-table.ts';
import type { ProcessEnd } from './request.ts';
import type { Stamper } from './stamper.ts';
import { startFailure } from './start-failure.ts';

/**
 * A background child that inherited the pipes keeps them open after the process itself has exited. Reading continues until it
 * has been silent this long, at most up to the second figure; later output is lost, and the writer gets EPIPE.
 */
const SILENT_AFTER_EXIT_MS = 2_000;
const LONGEST_AFTER_EXIT_MS = 10_000;

export async function runPiped(request: MarkedRequest, stamper: Stamper): Promise<ProcessEnd> {
  const sinks = { stdout: createSink(request, 'stdout'), stderr: createSink(request, 'stderr') };
  const unprepared = sinks.stdout.prepare() ?? sinks.stderr.prepare();
  const started: Started =
    unprepared === undefined
      ? await startPiped(request, stamper)
      : { type: 'not-started', failure: unprepared };
  if (started.type === 'not-started') {
    sinks.stdout.end();
    sinks.stderr.end();
    return started;
  }
  const { pid } = started;
  const startTime = startTimeOf(pid);
  const limits = new Limits(request, { pid, mark: request.mark, startTime });
  let writeFailure: Failure | undefined;
  const failed = (failure: Failure | undefined): void => {
    if (failure === undefined) return;
    writeFailure ??= failure;
    limits.end();
  };
  const caller = new CallerTrouble(limits);
  for (const name of ['stdout', 'stderr'] as const) {
    started[name].on('data', (chunk: Buffer) => {
      limits.alive();
      caller.call(() => failed(sinks[name].write(chunk)));
    });
  }
  caller.call(() => request.onStart?.(pid, startTime));
  feed(started.child, request);

  const exit = await Promise.race([started.exited, limits.givenUp]);
  const ended = await limits.settle();
  await drain(started, request.signal);
  caller.call(() => failed(sinks.stdout.end()));
  caller.call(() => failed(sinks.stderr.end()));
  caller.rethrow();
  return {
    type: 'exited',
    ...exitCodeOf(exit),
    ...defined({ ended }),
    stdout: sinks.stdout.captured(),
    stderr: sinks.stderr.captured(),
    ...defined({ writeFailure }),
  };
}

function createSink(request: MarkedRequest, stream: 'stdout' | 'stderr'): OutputSink {
  const { onOutput } = request;
  return new OutputSink(
    request[stream],
    request.mask,
    onOutput && ((chunk) => onOutput.call(request, stream, chunk)),
  );
}

type Started =
  | { readonly type: 'not-started'; readonly failure: Failure }
  | ({ readonly type: 'started'; readonly pid: number; readonly exited: Promise<Exit> } & Streams);

interface Streams {
  readonly child: ChildProcess;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

async function startPiped(request: MarkedRequest, stamper: Stamper): Promise<Started> {
  const { stdin } = request;
  let input: number | 'pipe' | 'ignore' = stdin.type === 'text' ? 'pipe' : 'ignore';
  if (stdin.type === 'file') {
    const failure = attempt('read', stdin.path, () => {
      input = stdin.descriptor ?? fs.openSync(stdin.path, 'r');
    });
    if (failure !== undefined) return { type: 'not-started', failure };
  }
  const pipes = await openNamedPipes(2);
  try {
    return await spawnPiped(request, stamper, { input, pipes });
  } finally {
    const isOurs = stdin.type === 'file' && stdin.descriptor === undefined;
    if (isOurs && typeof input === 'number') closeFile(input);
  }
}

async function spawnPiped(
  request: MarkedRequest,
  stamper: Stamper,
  { input, pipes = [] }: { input: number | 'pipe' | 'ignore'; pipes: readonly NamedPipe[] | undefined },
): Promise<Started> {
  const [out, err] = pipes;
  const notStarted = (code: string): Started => {
    for (const { output } of pipes) output.destroy();
    return { type: 'not-started', failure: startFailure(request, code) };
  };
  try {
    const [program = '', ...args] = request.argv;
    const child = stamper(request.mark, () =>
      spawn(program, args, {
        cwd: request.cwd,
        env: request.env,
        stdio: [input, out?.end ?? 'pipe', err?.end ?? 'pipe'],
        detached: true,
      }),
    );
    // Attach listeners before awaiting anything: these events fire once.
    const exited = new Promise<Exit>((resolve) =>
      child.once('exit', (code, signal) => resolve({ code, signal })),
    );
    const refused = new Promise<Error>((resolve) => child.on('error', resolve));
    const { pid } = child;
    const stdout = out?.output ?? child.stdout;
    const stderr = err?.output ?? child.stderr;
    if (pid === undefined || stdout === null || stderr === null) return notStarted(errorCode(await refused));
    return { type: 'started', pid, exited, child, stdout, stderr };
  } catch (error) {
    return notStarted(errorCode(error));
  } finally {
    for (const { end } of pipes) closeFile(end);
  }
}

/** A child may stop reading, or never read; that is not an error. */
function feed(child: ChildProcess, request: MarkedRequest): void {
  if (request.stdin.type !== 'text' || child.stdin === null) return;
  child.stdin.on('error', () => {});
  child.stdin.end(request.stdin.text);
}

async function drain({ child, stdout, stderr }: Streams, signal: AbortSignal): Promise<void> {
  const streams = [stdout, stderr];
  let stop = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let chunks = 0;
  // Timers come first when this process was busy: what is waiting in the pipes is read before they count.
  const silence = setTimeout(() => {
    const before = chunks;
    setImmediate(() => {
      if (chunks === before) stop();
      else silence.refresh();
    });
  }, SILENT_AFTER_EXIT_MS);
  const limit = setTimeout(() => setImmediate(stop), LONGEST_AFTER_EXIT_MS);
  const heard = (): void => {
    chunks += 1;
    silence.refresh();
  };
  for (const stream of streams) stream.on('data', heard);
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([Promise.all(streams.map(closed)), stopped]);
  signal.removeEventListener('abort', stop);
  clearTimeout(silence);
  clearTimeout(limit);
  for (const stream of [...streams, child.stdin]) stream?.destroy();
  child.unref();
}

function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once('close', () => resolve());
  });
}
