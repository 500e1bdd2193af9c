import { relative } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Effect, EffectContext } from '../engine/durable.ts';
import { defined } from '../model/defined.ts';
import { exitCodeFor, type Failure, outcomeName } from '../model/failure.ts';
import type { WorkOutput } from '../model/record.ts';
import { ok, type Result } from '../model/result.ts';
import {
  childEnvironment,
  type Environment,
  runMark,
  secretValues,
  valuesToMask,
} from '../process/environment.ts';
import { maskText } from '../process/mask.ts';
import type { ProcessEnd, ProcessRequest } from '../process/request.ts';
import type { RunProcess } from '../process/run-process.ts';
import { runPathsIn, stepLog } from '../store/layout.ts';
import { type Captured, captureBytes, captureOutput, lastText } from './capture.ts';
import type { RunCommandInput } from './contracts.ts';
import { sandboxRequest } from './sandbox.ts';
import { processAt } from './site-paths.ts';
import { closeFiles, openFiles, type StepFiles, syncOutput } from './step-files.ts';
import { timeLimit } from './time-limit.ts';
import { workingFolder } from './working-folder.ts';

const TAIL_BYTES = 4 * 1024;

export interface RunCommandParts {
  readonly runProcess: RunProcess;
  /** Environment that children inherit; default: the current `process.env`. */
  readonly environment?: { readonly [name: string]: string | undefined };
  /** Output is displayed: every chunk becomes a `progress` event. Otherwise a command writes its log itself. */
  readonly showsOutput?: boolean;
  /** Secrets of the whole run: every child inherits them, so every step's output masks them. */
  readonly secrets?: readonly string[];
}

export function createRunCommand(parts: RunCommandParts): Effect<RunCommandInput, WorkOutput> {
  const base = parts.environment ?? { ...process.env };
  const ofRun = parts.secrets ?? [];
  return async (given, context) => {
    const input = processAt(context.run, given);
    const env = childEnvironment({
      base,
      ...defined({ add: input.env }),
      runId: context.run.runId,
      runMark: runMark(context.run),
      key: context.key,
    });
    const masked = [...ofRun, ...valuesToMask(env, input.secrets ?? [])];
    const debug = { command: input.argv.map((each) => maskText(each, masked)), cwd: input.cwd ?? '.' };
    const failed = (failure: Failure): WorkOutput => failedOutput(failure, { capture: input.capture, debug });
    const prepared = prepare(input, context, env);
    if (prepared.type === 'error') return failed(prepared.error);
    const files = openFiles(input.root ?? context.run.workspace, input);
    if (files.type === 'error') return failed(files.error);
    let end: ProcessEnd;
    try {
      const request = withFiles({ ...prepared.value, mask: masked }, files.value);
      const wanted = parts.showsOutput === true ? showing(request, context) : request;
      end = syncOutput(files.value, await parts.runProcess(wanted));
    } finally {
      closeFiles(files.value);
    }
    const aborted = end.type === 'exited' ? end.ended?.type === 'aborted' : end.failure.type === 'cancelled';
    if (aborted) throw context.signal.reason;
    return withLog(workOutput(end, input, debug), end, context);
  };
}

/** Everything the process needs besides its files, checked before it starts and before a file is truncated for it. */
function prepare(
  input: RunCommandInput,
  context: EffectContext,
  env: Environment,
): Result<Omit<ProcessRequest, 'mask'>, Failure> {
  const workspace = input.root ?? context.run.workspace;
  const secrets = secretValues(env, input.secrets ?? []);
  if (secrets.type === 'error') return secrets;
  const cwd = input.cwd === undefined ? ok(workspace) : workingFolder(workspace, input.cwd);
  if (cwd.type === 'error') return cwd;
  const paths = runPathsIn(context.run.directory);
  const log = (stream: 'stdout' | 'stderr') =>
    stepLog(paths, { key: context.key, attempt: context.attempt, stream });
  return ok({
    argv: input.argv,
    cwd: cwd.value,
    env,
    ...sandboxRequest({
      ...{ choice: input.sandbox, run: context.run, root: input.root, cwd: cwd.value, env },
    }),
    stdin: { type: 'none' },
    stdout: { files: [log('stdout')], headBytes: captureBytes(input.capture), tailBytes: TAIL_BYTES },
    stderr: { files: [log('stderr')], headBytes: 0, tailBytes: TAIL_BYTES },
    ...timeLimit(input, context),
    ...defined({ idleTimeoutMs: input.idleTimeoutMs }),
    signal: context.signal,
    onStart: (pid, startTime) => context.processStarted(pid, startTime),
  });
}

function withFiles(request: ProcessRequest, { stdin, output }: StepFiles): ProcessRequest {
  return {
    ...request,
    ...(stdin === undefined ? {} : { stdin: { type: 'file', ...stdin } }),
    ...(output === undefined ? {} : { stdout: { ...request.stdout, opened: [output] } }),
  };
}

function showing(request: ProcessRequest, context: EffectContext): ProcessRequest {
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  return {
    ...request,
    onOutput(stream, chunk) {
      const text = decoders[stream].write(chunk);
      if (text !== '') context.emit({ type: 'output', stream, text });
    },
  };
}

function workOutput(
  end: ProcessEnd,
  input: RunCommandInput,
  debug: NonNullable<WorkOutput['debug']>,
): WorkOutput {
  const artifacts = input.outputFile === undefined ? {} : { artifacts: [input.outputFile] };
  if (end.type === 'not-started') return failedOutput(end.failure, { capture: input.capture, debug });
  const captured = captureOutput(end.stdout, input.capture, input.allowParseError ?? false);
  const failure = whyFailed(end, captured, input.successCodes ?? [0]);
  const fields = {
    ...captured.fields,
    ...artifacts,
    debug:
      captured.parseError === undefined ? debug : { ...debug, json_parse_error: { ...captured.parseError } },
  };
  if (failure === undefined) return { exitCode: end.exitCode, outcome: 'done', ...fields };
  return failedOutput(failure, {
    ...fields,
    stdoutTail: lastText(end.stdout.tail, TAIL_BYTES),
    stderrTail: lastText(end.stderr.tail, TAIL_BYTES),
  });
}

/** Truncated output refers to its log, which has all of it. */
function withLog(output: WorkOutput, end: ProcessEnd, context: EffectContext): WorkOutput {
  if (output.truncated !== true || end.type !== 'exited') return output;
  const { runId, directory } = context.run;
  const { key, attempt } = context;
  const file = relative(directory, stepLog(runPathsIn(directory), { key, attempt, stream: 'stdout' }));
  return { ...output, log: { runId, file, bytes: end.stdout.bytes } };
}

/** The first cause: why we stopped it, what we could not write, how it ended, what it printed. */
function whyFailed(
  end: Extract<ProcessEnd, { type: 'exited' }>,
  captured: Captured,
  successCodes: readonly number[] | 'any',
): Failure | undefined {
  const { ended, exitCode, signal } = end;
  const isSuccess = signal === undefined && (successCodes === 'any' || successCodes.includes(exitCode));
  if (ended?.type === 'timed-out' || ended?.type === 'idle') return ended;
  if (end.writeFailure !== undefined) return end.writeFailure;
  if (!isSuccess && exitCode !== 0) return { type: 'exit-code', exitCode, ...defined({ signal }) };
  return captured.failure;
}

function failedOutput(
  failure: Failure,
  fields: Omit<WorkOutput, 'exitCode' | 'outcome' | 'failure'>,
): WorkOutput {
  return { ...fields, exitCode: exitCodeFor(failure), outcome: outcomeName(failure), failure };
}
