/**
 * Lines that match an agent's regular expression. An expression may take forever on a short line, so it runs in its own thread, which
 * is terminated at the time limit; everything else continues meanwhile.
 */
import { Worker } from 'node:worker_threads';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { readFileInside } from '../../store/safe-path.ts';
import { filesFor } from './files.ts';

const MOST_MATCHES = 10_000;
const LONGEST_LINE = 500;
const LARGEST_FILE = 16 * 1024 * 1024;

export interface SearchRequest {
  readonly root: string;
  readonly keepOut: readonly string[];
  readonly pattern: string;
  readonly glob: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** `path:line: text` of every matching line, in the order of file names. Binary files are skipped. */
export async function search(request: SearchRequest): Promise<Result<string, Failure>> {
  const { root, pattern } = request;
  try {
    new RegExp(pattern, 'u');
  } catch (cause) {
    return error({ type: 'unusable-values', reasons: [`\`pattern\`: ${(cause as Error).message}`] });
  }
  const files = filesFor(request, request.glob);
  if (files.type === 'error') return files;
  const matcher = startMatcher(request);
  const found: string[] = [];
  try {
    for (const file of files.value) {
      const text = textOf(root, file);
      if (text === undefined) continue;
      const lines = await matcher.match(text);
      if (lines === undefined) return error({ type: 'timed-out', afterMs: request.timeoutMs });
      for (const { number, line } of lines) {
        found.push(`${file}:${number}: ${line}`);
        if (found.length >= MOST_MATCHES)
          return ok(`${found.join('\n')}\n[only the first ${MOST_MATCHES} matches]\n`);
      }
    }
  } finally {
    await matcher.end();
  }
  return ok(found.length === 0 ? 'no matches\n' : `${found.join('\n')}\n`);
}

interface Line {
  readonly number: number;
  /** Its start. */
  readonly line: string;
}

interface Matcher {
  /** Undefined at the time limit. Throws the signal's reason. */
  match(text: string): Promise<readonly Line[] | undefined>;
  end(): Promise<unknown>;
}

const MATCHING = `
const { parentPort, workerData } = require('node:worker_threads');
const expression = new RegExp(workerData.pattern, 'u');
parentPort.on('message', (text) => {
  const found = [];
  for (const [index, line] of text.split(/\\r?\\n/).entries()) {
    if (!expression.test(line)) continue;
    found.push({ number: index + 1, line: line.slice(0, workerData.longest) });
    if (found.length >= workerData.most) break;
  }
  parentPort.postMessage(found);
});
`;

function startMatcher({ pattern, timeoutMs, signal }: SearchRequest): Matcher {
  const endsAt = performance.now() + timeoutMs;
  const workerData = { pattern, longest: LONGEST_LINE, most: MOST_MATCHES };
  const worker = new Worker(MATCHING, { eval: true, workerData, env: {} });
  return {
    match: (text) =>
      new Promise((resolve, reject) => {
        const settle = (then: () => void): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', stop);
          worker.off('message', take).off('error', fail);
          then();
        };
        const stop = (): void => settle(() => reject(signal.reason));
        const take = (found: readonly Line[]): void => settle(() => resolve(found));
        const fail = (cause: unknown): void => settle(() => reject(cause));
        const timer = setTimeout(() => settle(() => resolve(undefined)), endsAt - performance.now());
        signal.addEventListener('abort', stop);
        worker.on('message', take).on('error', fail);
        if (signal.aborted) stop();
        else worker.postMessage(text);
      }),
    end: () => worker.terminate(),
  };
}

function textOf(root: string, file: string): string | undefined {
  const bytes = readFileInside(root, file);
  if (bytes.type === 'error' || bytes.value.length > LARGEST_FILE || bytes.value.includes(0))
    return undefined;
  return bytes.value.toString('utf8');
}
