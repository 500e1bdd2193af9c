/**
 * `orchestrate hook <event>`: a separate program, because it is started for many of an agent's tool calls.
 *
 * H1 A hook never breaks the agent: whatever happens, exit code 0.
 * H2 Without a workflow nothing is written at all.
 * H3 A failure is one line in `hook.log` and changes nothing else. Foreign files in the hook's way are logged there too.
 */
import { isAbsolute } from 'node:path';
import { type JsonObject, parseJsonObject } from '../../model/json.ts';
import { keptText } from '../../model/kept-file.ts';
import { visible } from '../../model/visible.ts';
import { workspaceFrom } from '../../store/find-workspace.ts';
import { appendPlain } from '../../store/plain-file.ts';
import { readInput } from '../../store/read-input.ts';
import { writeWhole } from '../../store/write-whole.ts';
import { DRIVEN, hasPhases, PHASES_FILE, type PhasesPaths, phasesPaths } from '../layout.ts';
import { bringInLine, recordEvent } from './record-event.ts';

export async function main(
  argument: string,
  /** The folder named by `-C`. */
  asked?: string,
): Promise<{ readonly isAnswered: boolean }> {
  let paths: PhasesPaths | undefined;
  try {
    const input = parseJsonObject(readInput());
    paths = findWorkflow(input, asked);
    // H2
    if (paths === undefined || process.env[DRIVEN] !== undefined) return { isAnswered: false };
    if (input === undefined) throw new Error('the event is not a JSON object');
    const { answer, isInLine, kept, unclear } = await recordEvent(paths, argument, input);
    if (answer !== undefined) writeWhole(1, Buffer.from(answer));
    const later = isInLine ? [] : await bringInLine(paths);
    for (const each of [...kept, ...later]) log(paths, argument, keptText(each));
    if (unclear !== undefined) log(paths, argument, unclear);
    return { isAnswered: answer !== undefined };
  } catch (cause) {
    if (paths !== undefined) log(paths, argument, cause instanceof Error ? cause.message : String(cause));
  }
  return { isAnswered: false };
}

/** The folder that the command names, or the one the agent was started in, or its current folder, or the nearest above one of these. */
function findWorkflow(input: JsonObject | undefined, asked: string | undefined): PhasesPaths | undefined {
  const folders =
    asked === undefined ? [process.env['CLAUDE_PROJECT_DIR'], input?.['cwd'], process.cwd()] : [asked];
  for (const folder of folders) {
    if (typeof folder !== 'string' || !isAbsolute(folder)) continue;
    if (hasPhases(folder)) return phasesPaths(folder);
  }
  for (const folder of folders) {
    if (typeof folder !== 'string' || !isAbsolute(folder)) continue;
    const { workspace } = workspaceFrom(folder, [PHASES_FILE]);
    if (workspace !== folder) return phasesPaths(workspace);
  }
  return undefined;
}

/** H3 */
function log(paths: PhasesPaths, event: string, words: string): void {
  const message = visible(words.replace(/\s+/g, ' '));
  try {
    appendPlain(paths.hookLog, `${new Date().toISOString()} ${event}: ${message}\n`, 0o644);
  } catch {
    // If the folder is not writable, there is no log either.
  }
}
