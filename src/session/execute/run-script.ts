import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import type { StepKey } from '../../model/ids.ts';
import { environmentOf, renderBash } from '../document/script.ts';
import type { TaskWork } from './task-state.ts';

export interface ScriptEnd {
  /** The first 8 KiB of stdout, without the final newline. */
  readonly output: string;
  readonly exitCode: number;
  readonly failure?: Failure;
  readonly stderrTail: string;
}

export async function runScript(work: TaskWork, key: StepKey, script: string): Promise<ScriptEnd> {
  const { durable, task, outputs, call } = work;
  const rendered = renderBash(script, task, outputs);
  if (rendered.type === 'error') return { output: '', exitCode: 2, failure: rendered.error, stderrTail: '' };
  const { output } = await durable.step(key, 'run-command', {
    argv: ['bash', '-c', rendered.value],
    env: { ...environmentOf(script, task, outputs), task_id: task.id, session_id: call.session },
    capture: 'text',
    ...defined({ cwd: work.cwd }),
  });
  return {
    output: (output.output ?? '').replaceAll('\0', '').replace(/\n$/, ''),
    exitCode: output.exitCode,
    ...defined({ failure: output.failure }),
    stderrTail: output.stderrTail ?? '',
  };
}
