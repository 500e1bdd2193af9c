/** The sources of an agent's byte stream: a process, the mock agent, or a cassette. All end in the same way. */
import { dirname } from 'node:path';
import type { AgentEnded, AgentExit } from '../../agents/classify.ts';
import { type MockCall, runMock } from '../../agents/mock.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { createMasker } from '../../process/mask.ts';
import type { CapturedOutput, ProcessEnd, ProcessRequest } from '../../process/request.ts';
import type { RunProcess } from '../../process/run-process.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { makeOneFolder } from '../../store/make-folder.ts';
import { fileFailure } from '../../store/safe-path.ts';
import { lastText } from '../capture.ts';

export const TAIL_BYTES = 4 * 1024;
/** The longest answer that is kept in memory; the log has all of it. */
export const ANSWER_BYTES = 1024 * 1024;

export type SourceEnd =
  | { readonly type: 'not-started'; readonly failure: Failure }
  | {
      readonly type: 'exited';
      readonly exit: AgentExit;
      readonly stdout: CapturedOutput;
      readonly writeFailure?: Failure;
    };

/** `stopped`: the watch's signal, whose reason is an `AgentEnded`. Throws the reason of the run's own signal. */
export async function fromProcess(
  runProcess: RunProcess,
  request: ProcessRequest,
  stopped: AbortSignal,
): Promise<SourceEnd> {
  const run = request.signal;
  const end = await withEither([run, stopped], (signal) => runProcess({ ...request, signal }));
  if (run.aborted && wasEndedBy(end, run)) throw run.reason;
  if (end.type === 'not-started') return end;
  return {
    type: 'exited',
    exit: {
      exitCode: end.exitCode,
      ...defined({ signal: end.signal }),
      ...endedBy(end, stopped),
      stderrTail: lastText(end.stderr.tail, TAIL_BYTES),
    },
    stdout: end.stdout,
    ...defined({ writeFailure: end.writeFailure }),
  };
}

/** Not `AbortSignal.any`: in Node 20 its result lives as long as the run's signal. */
async function withEither<Value>(
  signals: readonly AbortSignal[],
  use: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const pass = (event: Event): void => controller.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener('abort', pass, { once: true });
  }
  try {
    return await use(controller.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', pass);
  }
}

/** A call that ended by itself meanwhile has a result worth keeping. */
function wasEndedBy(end: ProcessEnd, run: AbortSignal): boolean {
  if (end.type === 'not-started') return end.failure.type === 'cancelled';
  return end.ended?.type === 'aborted' && end.ended.reason === run.reason;
}

function endedBy(
  end: Extract<ProcessEnd, { type: 'exited' }>,
  stopped: AbortSignal,
): { readonly ended?: AgentEnded } {
  if (end.ended === undefined) return {};
  return { ended: end.ended.type === 'aborted' ? (stopped.reason as AgentEnded) : end.ended };
}

export interface Kept {
  readonly log: string;
  /** Secret values: the mock agent repeats its prompt. */
  readonly mask: readonly string[];
}

export async function fromMock(call: MockCall, { log, mask }: Kept): Promise<SourceEnd> {
  const kept: Buffer[] = [];
  const masker = createMasker(mask);
  const pass = (bytes: Buffer): void => {
    if (bytes.length === 0) return;
    kept.push(bytes);
    call.print(bytes);
  };
  const end = await runMock({ ...call, print: (chunk) => pass(masker.push(chunk)) });
  pass(masker.end());
  if (end.type === 'not-started') return end;
  const { exitCode, ended } = end;
  return {
    type: 'exited',
    exit: { exitCode, ...defined({ ended }), stderrTail: '' },
    ...keepWhole(Buffer.concat(kept), log),
  };
}

/** An existing stream, as a process would have left it. */
export function fromRecording(exit: AgentExit, stdout: Buffer, log: string): SourceEnd {
  return { type: 'exited', exit, ...keepWhole(stdout, log) };
}

function keepWhole(
  whole: Buffer,
  log: string,
): { readonly stdout: CapturedOutput; readonly writeFailure?: Failure } {
  const stdout = { bytes: whole.length, head: whole, tail: whole };
  if (whole.length === 0) return { stdout };
  try {
    makeOneFolder(dirname(log));
    replaceFile(log, whole, { mayBeLost: true });
    return { stdout };
  } catch (cause) {
    return { stdout, writeFailure: fileFailure('write', log, cause) };
  }
}
