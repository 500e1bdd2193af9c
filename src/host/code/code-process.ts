/**
 * A process for one operation that loads code of the user (`operations/code-apart.ts`): the hidden command `load-code`.
 *
 * A1 It is stopped with everything it has started when it takes too long, or when its caller stops.
 * A2 If its caller was killed, it ends by itself: a thread watches, since an endless loop leaves the main one no time.
 * A3 Its answer is a line that begins with a word that the code cannot know, whatever else is printed.
 */
import { randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import { parseJsonObject } from '../../model/json.ts';
import type { Result } from '../../model/result.ts';
import type { CodeAnswer, CodeCall, CodeProcesses } from '../../operations/code-apart.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Site } from '../../operations/site.ts';
import type { ProcessRequest } from '../../process/request.ts';
import { runProcess } from '../../process/run-process.ts';

/** Longer than the largest project needs; a schedule that is due meanwhile is still on time. */
const LIMIT_MS = 30_000;
const GRACE_MS = 500;
const WATCH_EVERY_MS = 1000;
/** A fork brings the records that it reuses. */
const LARGEST_ANSWER = 256 * 1024 * 1024;

/** What the process gets on its standard input. */
export interface CodeWork {
  readonly call: CodeCall;
  readonly asker: Site['asker'];
  readonly usesWorkers: boolean;
  /** A3 */
  readonly word: string;
}

/** Whoever has the operation done. */
export interface CodeCaller extends Pick<Site, 'workspace' | 'environment' | 'asker'> {
  readonly usesWorkers: boolean;
}

/** `program`: the command that does the work given on its standard input. */
export function createCodeProcesses(caller: CodeCaller, program: readonly string[]): CodeProcesses {
  const ending = new AbortController();
  return {
    do: (call) => doApart(caller, { argv: program, call, signal: ending.signal }),
    close: () => ending.abort(),
  };
}

async function doApart(
  { workspace, environment, asker, usesWorkers }: CodeCaller,
  { argv, call, signal }: Pick<ProcessRequest, 'argv' | 'signal'> & { readonly call: CodeCall },
): Promise<CodeAnswer> {
  const word = randomBytes(16).toString('hex');
  const work: CodeWork = { call, asker, usesWorkers, word };
  const printed: Buffer[] = [];
  let size = 0;
  const end = await runProcess({
    ...{ argv, cwd: workspace, env: defined(environment) as ProcessRequest['env'], signal, mask: [] },
    stdin: { type: 'text', text: JSON.stringify(work) },
    stdout: { files: [], headBytes: 0, tailBytes: 0 },
    stderr: { files: [], headBytes: 0, tailBytes: 4096 },
    ...{ timeoutMs: LIMIT_MS, graceMs: GRACE_MS },
    onOutput(stream, chunk) {
      if (stream === 'stderr' || size + chunk.length > LARGEST_ANSWER) return;
      size += chunk.length;
      printed.push(chunk);
    },
  });
  if (end.type === 'not-started') return { type: 'ended', exitCode: 1, said: describeFailure(end.failure) };
  const answer = answerIn(Buffer.concat(printed).toString('utf8'), word);
  if (answer !== undefined) return { type: 'answered', result: answer };
  const { exitCode, signal: ending, ended, stderr } = end;
  if (ended?.type === 'timed-out') return { type: 'timed-out', afterMs: ended.afterMs };
  const lines = stderr.tail.toString('utf8').trimEnd().split('\n');
  const said = lines.find((line) => /Error\b/.test(line)) ?? lines.at(-1);
  return { type: 'ended', exitCode, ...defined({ signal: ending }), ...(said ? { said } : {}) };
}

function answerIn(text: string, word: string): Result<unknown, Problem> | undefined {
  const at = text.lastIndexOf(`\n${word}`);
  if (at === -1) return undefined;
  const line = text.slice(at + 1 + word.length).split('\n')[0] ?? '';
  return parseJsonObject(line) as Result<unknown, Problem> | undefined;
}

/** A3 */
export function answerLine({ word }: CodeWork, result: Result<unknown, Problem>): string {
  return `\n${word}${JSON.stringify(result)}\n`;
}

const WATCHING = `
const { workerData } = require('node:worker_threads');
const endsAt = performance.now() + workerData.limitMs;
setInterval(() => {
  if (process.ppid !== workerData.parent || performance.now() > endsAt) process.kill(process.pid, 'SIGKILL');
}, workerData.everyMs);
`;

/** A2. Called by the process itself, before it loads anything. */
export function endWithCaller(): void {
  const workerData = { parent: process.ppid, limitMs: 2 * LIMIT_MS, everyMs: WATCH_EVERY_MS };
  new Worker(WATCHING, { eval: true, workerData }).unref();
}
