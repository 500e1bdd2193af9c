/**
 * `orchestrate hook <event>`: a program of its own, because it is started for many tool calls of an agent. What every call needs is
 * here; the rest is read when there is a workflow.
 *
 * H1 A hook never breaks the agent: whatever happens, exit code 0.
 * H2 Without a workflow nothing is written at all.
 * H3 What could not be done is one line of `hook.log`, and nothing else has changed.
 */
import fs from 'node:fs';
import { isAbsolute } from 'node:path';
import { type JsonObject, parseJsonObject } from '../../model/json.ts';
import { DRIVEN, type PhasesPaths, phasesPaths } from '../layout.ts';

export async function main(argument: string): Promise<void> {
  let paths: PhasesPaths | undefined;
  try {
    const input = parseJsonObject(readInput());
    paths = findWorkflow(input);
    // H2
    if (paths === undefined || process.env[DRIVEN] !== undefined) return;
    if (input === undefined) throw new Error('the event is not a JSON object');
    const { recordEvent, bringInLine } = await import('./record-event.ts');
    const { answer, hasChanged } = await recordEvent(paths, argument, input);
    if (answer !== undefined) fs.writeSync(1, answer);
    if (!hasChanged) await bringInLine(paths);
  } catch (cause) {
    if (paths !== undefined) log(paths, argument, cause);
  }
}

/** Where the agent was started, else where it is. */
function findWorkflow(input: JsonObject | undefined): PhasesPaths | undefined {
  for (const folder of [process.env['CLAUDE_PROJECT_DIR'], input?.['cwd'], process.cwd()]) {
    if (typeof folder !== 'string' || !isAbsolute(folder)) continue;
    const paths = phasesPaths(folder);
    if (fs.existsSync(paths.document)) return paths;
  }
  return undefined;
}

/** Not through `process.stdin`, which costs more to make than all the rest of this. */
function readInput(): string {
  let bytes = Buffer.allocUnsafe(64 * 1024);
  let length = 0;
  for (;;) {
    if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * length);
    try {
      const read = fs.readSync(0, bytes, length, bytes.length - length, null);
      if (read === 0) break;
      length += read;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
  return bytes.toString('utf8', 0, length);
}

/** H3 */
function log(paths: PhasesPaths, event: string, cause: unknown): void {
  const message = (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ');
  try {
    fs.appendFileSync(paths.hookLog, `${new Date().toISOString()} ${event}: ${message}\n`);
  } catch {
    // A folder that cannot be written to gets no log either.
  }
}
