/** Starts the planned call, whatever its source, and waits for its end. */
import { StringDecoder } from 'node:string_decoder';
import type { CassetteAnswers } from '../../agents/cassette.ts';
import type { MockCall } from '../../agents/mock.ts';
import type { EffectContext } from '../../engine/durable.ts';
import { defined } from '../../model/defined.ts';
import type { MarkedRequest } from '../../process/exit.ts';
import { processMark } from '../../process/marks.ts';
import type { RunProcess } from '../../process/run-process.ts';
import { endMarkedProcesses } from '../../process/terminate-tree.ts';
import { stepLog } from '../../store/layout.ts';
import { fileFailure } from '../../store/safe-path.ts';
import { captureBytes } from '../capture.ts';
import type { RunAgentInput } from '../contracts.ts';
import { sandboxRequest } from '../sandbox.ts';
import { closeFiles, openFiles, type StepFiles, syncOutput } from '../step-files.ts';
import { timeLimit } from '../time-limit.ts';
import { type CassetteUse, playCassette, saveCassette } from './cassette-deck.ts';
import type { PlannedCall } from './planned-call.ts';
import type { PreparedCall } from './prepare.ts';
import { ANSWER_BYTES, fromMock, fromProcess, fromRecording, type SourceEnd, TAIL_BYTES } from './source.ts';
import type { Watch } from './watch.ts';
import { changesSince, lookAt } from './workspace-changes.ts';
import { writeInside } from './write-inside.ts';

/** Between SIGTERM and SIGKILL for processes the agent left running. */
const ENDING_GRACE_MS = 2_000;

export interface Start {
  readonly runProcess: RunProcess;
  readonly cassette?: CassetteUse;
  readonly input: RunAgentInput;
  readonly context: EffectContext;
  readonly prepared: PreparedCall;
  readonly planned: PlannedCall;
  readonly sessionId?: string;
  /** The rules for tool calls, for an agent without a process. */
  readonly check?: MockCall['check'];
  /** Answers with which the call continues, for its recording. */
  readonly answers?: CassetteAnswers;
  readonly watch: Watch;
}

export async function startAgent(start: Start): Promise<SourceEnd> {
  const { cassette } = start;
  if (cassette?.type === 'replay') return replay(start, cassette);
  if (cassette?.type !== 'record') return await run(start);
  const chunks: Buffer[] = [];
  const watch: Watch = {
    ...start.watch,
    push(chunk) {
      chunks.push(chunk);
      start.watch.push(chunk);
    },
  };
  const { workspace } = start.context.run;
  const before = lookAt(workspace, cassette.folder);
  const end = await run({ ...start, watch });
  if (end.type !== 'exited') return end;
  const changes = changesSince(workspace, before, lookAt(workspace, cassette.folder));
  const { planned, prepared } = start;
  try {
    saveCassette(cassette.folder, start.context, {
      ...{
        agent: planned.name,
        argv: planned.shownArgv,
        prompt: prepared.maskedPrompt,
        mask: prepared.mask,
      },
      ...{ exit: end.exit, stdout: Buffer.concat(chunks), changes },
      ...defined({ answers: start.answers }),
    });
    return end;
  } catch (cause) {
    return { ...end, writeFailure: fileFailure('write', cassette.folder, cause) };
  }
}

async function run(start: Start): Promise<SourceEnd> {
  const { input, context, prepared, watch } = start;
  const { agent } = input;
  if (agent.type === 'builtin' && agent.adapter === 'mock') {
    return await fromMock(
      {
        script: agent.script,
        prompt: prepared.prompt,
        ...defined({ jsonSchema: input.jsonSchema, sessionId: start.sessionId }),
        attempt: context.attempt,
        ...timeLimit(input, context),
        signal: context.signal,
        ...defined({ check: start.check }),
        writeFile: (path, content) =>
          writeInside(context.run.workspace, fromFolder(input.cwd, path), content),
        print: watch.push,
      },
      { log: logOf(start, 'stdout'), mask: prepared.mask },
    );
  }
  const { reading } = start.planned;
  const isAnswer = reading.type === 'plain' && reading.plain.result === 'text';
  const wanted = isAnswer && input.outputFile !== undefined ? { outputFile: input.outputFile } : {};
  const files = openFiles(context.run.workspace, wanted);
  if (files.type === 'error') return { type: 'not-started', failure: files.error };
  const request = processRequest(start, files.value);
  try {
    return syncOutput(files.value, await fromProcess(start.runProcess, request, watch.signal));
  } finally {
    await endMarkedProcesses(request.mark, { graceMs: ENDING_GRACE_MS });
    closeFiles(files.value);
  }
}

/** The mock agent writes where a real one would: relative to the folder it works in. */
function fromFolder(folder: string | undefined, path: string): string {
  return folder === undefined ? path : `${folder}/${path}`;
}

function processRequest(start: Start, files: StepFiles): MarkedRequest {
  const { input, context, prepared, planned, watch } = start;
  const { call, reading } = planned;
  const isPlain = reading.type === 'plain';
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  // The user's settings override the adapter's.
  const env = { ...call.env, ...prepared.env };
  return {
    argv: call.argv,
    cwd: prepared.cwd,
    env,
    mark: processMark(env),
    ...sandboxRequest({
      ...{ choice: withAsks(input, prepared), run: context.run, root: input.root, cwd: prepared.cwd, env },
      adapter: reading.type === 'events' ? reading.adapter : undefined,
    }),
    stdin: call.stdin === '' ? { type: 'none' } : { type: 'text', text: call.stdin },
    stdout: {
      files: [logOf(start, 'stdout')],
      ...(files.output === undefined ? {} : { opened: [files.output] }),
      headBytes: isPlain ? Math.max(ANSWER_BYTES, captureBytes(input.capture)) : 0,
      tailBytes: isPlain ? 16 * TAIL_BYTES : TAIL_BYTES,
    },
    stderr: { files: [logOf(start, 'stderr')], headBytes: 0, tailBytes: TAIL_BYTES },
    mask: prepared.mask,
    ...timeLimit(input, context),
    ...defined({ idleTimeoutMs: input.idleTimeoutMs }),
    signal: context.signal,
    onStart: (pid, startTime) => context.processStarted(pid, startTime),
    onOutput(stream, chunk) {
      if (stream === 'stdout') watch.push(chunk);
      if (stream === 'stdout' && !isPlain) return;
      const text = decoders[stream].write(chunk);
      if (text !== '') context.emit({ type: 'output', stream, text });
    },
  };
}

/** The hook records there which answers it has used. */
function withAsks({ sandbox, ask }: RunAgentInput, { paths }: PreparedCall): RunAgentInput['sandbox'] {
  if (sandbox === undefined || ask === undefined) return sandbox;
  return { ...sandbox, writable: [...(sandbox.writable ?? []), paths.asks] };
}

function replay(start: Start, cassette: Extract<CassetteUse, { type: 'replay' }>): SourceEnd {
  const { context, prepared, planned, watch } = start;
  const played = playCassette(cassette, { agent: planned.name, prompt: prepared.maskedPrompt }, context);
  if (played.type === 'error') return { type: 'not-started', failure: played.error };
  const stdout = Buffer.from(played.value.stdout);
  watch.push(stdout);
  const exit = { ...played.value.exit, stderrTail: played.value.stderr };
  return fromRecording(exit, stdout, logOf(start, 'stdout'));
}

function logOf(start: Start, stream: 'stdout' | 'stderr'): string {
  const { key, attempt } = start.context;
  return stepLog(start.prepared.paths, { key, attempt, stream });
}
