import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import type { StepKey } from '../../model/ids.ts';
import { environmentOf, renderBash } from '../document/script.ts';
import type { TaskWork } from './task-state.ts';

/** A command that was carried out. */
export interface Ran {
  /** As it was carried out, with all values in it. */
  readonly ran: string;
  readonly output: string;
  readonly exitCode: number;
  readonly failure?: Failure;
}

export interface ScriptEnd extends Ran {
  /** The first 8 KiB of stdout, without the final newline. */
  readonly output: string;
  readonly stderrTail: string;
}

export interface ScriptOptions {
  /** Exit codes that are not shown as a failure; default: only 0. */
  readonly successCodes?: readonly number[] | 'any';
}

export async function runScript(
  work: TaskWork,
  key: StepKey,
  script: string,
  options: ScriptOptions = {},
): Promise<ScriptEnd> {
  const { durable, task, outputs, call } = work;
  const rendered = renderBash(inSession(work, script), task, outputs);
  if (rendered.type === 'error')
    return { ran: script, output: '', exitCode: 2, failure: rendered.error, stderrTail: '' };
  const { output } = await durable.step(key, 'run-command', {
    argv: ['bash', '-c', rendered.value],
    env: { ...environmentOf(script, task, outputs), task_id: task.id, session_id: call.session },
    capture: 'text',
    ...defined({ cwd: work.cwd, ...options }),
  });
  return {
    ran: rendered.value,
    output: (output.output ?? '').replaceAll('\0', '').replace(/\n$/, ''),
    exitCode: output.exitCode,
    ...defined({ failure: output.failure }),
    stderrTail: output.stderrTail ?? '',
  };
}

/** A path that starts with a folder of the session, such as `.summaries/`, is one there. */
function inSession({ call, cwd }: TaskWork, script: string): string {
  const up = cwd === undefined ? '' : '../'.repeat(cwd.split('/').length);
  return script.replace(SESSION_FOLDER, `${up}${call.folder}/$1/`);
}

const SESSION_FOLDER = /(?<![\w./~$}*?\]-])(?:\.\/)?(\.summaries|\.task|\.chat|\.process|\.brainstorming)\//g;
