/** Reads the complete output of an earlier step from its log, which belongs to this run or to the one it was taken from. */
import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';
import type { Failure } from '../model/failure.ts';
import { parseRunId } from '../model/ids.ts';
import { outputText } from '../model/output-text.ts';
import type { OutputLog } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import { digestOfFile } from '../store/digest.ts';
import { errnoOf } from '../store/errno.ts';
import { runPaths } from '../store/layout.ts';
import { openPlain } from '../store/plain-file.ts';
import type { PromptPart } from './contracts.ts';

type LogPart = Extract<PromptPart, { readonly type: 'log' }>;

/** As `${steps.<name>.output}` or `.lines` would be if it had not been truncated. */
export function readLog(workspace: string, { log, name, as }: LogPart): Result<string, Failure> {
  const read = withLog(workspace, log, (fd) => {
    const bytes = Buffer.alloc(log.bytes);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got) {
      got = fs.readSync(fd, bytes, length, bytes.length - length, length);
    }
    return bytes.toString('utf8', 0, length);
  });
  if (read.type === 'ok') return ok(outputText(read.value, as));
  const message = `the complete \`${name}\` cannot be read: \`${log.file}\` of run ${log.runId} ${read.error}; run that step again (a cached result: with \`--no-cache\`)`;
  return error({ type: 'unusable-values', reasons: [message] });
}

/** Undefined if the log is no longer there, or no longer complete. */
export function digestOfLog(workspace: string, log: OutputLog): string | undefined {
  const digest = withLog(workspace, log, digestOfFile);
  return digest.type === 'ok' ? digest.value : undefined;
}

/** A log is not synced, so after a power loss it may be shorter than its step recorded. */
function withLog<Value>(
  workspace: string,
  log: OutputLog,
  use: (fd: number) => Value,
): Result<Value, string> {
  const runId = parseRunId(log.runId);
  if (runId === undefined) return error('has no valid run id');
  let fd: number | undefined;
  try {
    fd = openPlain(`${runPaths(workspace, runId).directory}/${log.file}`);
    const { size } = fs.fstatSync(fd);
    return size === log.bytes ? ok(use(fd)) : error(`has ${size} of ${log.bytes} bytes`);
  } catch (cause) {
    const code = errnoOf(cause);
    return error(code === 'ENOENT' ? 'does not exist any more' : `cannot be opened (${code})`);
  } finally {
    if (fd !== undefined) closeFile(fd);
  }
}
