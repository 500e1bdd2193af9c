import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import { FILES } from '../workspace/layout.ts';
import {
  isTodoDone,
  parseStatus,
  readTodo,
  remainingIn,
  remainingInTodo,
  statusProblem,
} from '../workspace/status.ts';
import { type AgentQuestion, questionsIn } from './questions.ts';

/** The progress of a task after an iteration, from its status file or else from `TODO.md`. */
export interface TaskProgress {
  readonly complete: boolean;
  readonly claimedIn: 'status' | 'todo';
  readonly worked?: boolean;
  readonly remaining?: number;
  readonly summary?: string;
  readonly questions: readonly AgentQuestion[];
  /** Why the agent aborted the task. */
  readonly abort?: string;
  /** Changes whenever the agent reports anything new; a completion claim and the timestamp do not count. */
  readonly mark: string;
  /** Why the status file, or a part of it, cannot be used. */
  readonly problem?: string;
}

const LONGEST_SUMMARY = 500;

export async function readProgress(
  durable: OrchestrateDurable,
  key: StepKey,
  root: string,
): Promise<TaskProgress> {
  const { output } = await durable.step(sideKey(key, 'status'), 'read-file', { root, path: FILES.status });
  return progressOf(durable, key, { root, text: output.text });
}

/** `text`: of the status file, if it exists. */
export async function progressOf(
  durable: OrchestrateDurable,
  key: StepKey,
  { root, text }: { readonly root: string; readonly text: string | undefined },
): Promise<TaskProgress> {
  const status = text === undefined ? undefined : parseStatus(text);
  const problem = text === undefined ? undefined : statusProblem(text);
  if (status?.type === 'ok') {
    const { complete, worked, summary, abort, blockers } = status.value;
    const remaining = remainingIn(status.value);
    return {
      complete,
      claimedIn: 'status',
      questions: questionsIn(blockers),
      ...defined({ worked, remaining, problem }),
      ...(summary === undefined ? {} : { summary: summary.slice(0, LONGEST_SUMMARY) }),
      ...(abort === undefined ? {} : { abort: abort.reason }),
      mark: JSON.stringify({ ...status.value, complete: false, lastUpdated: '' }),
    };
  }
  const list = await durable.step(sideKey(key, 'todo'), 'read-file', { root, path: FILES.todo });
  const todo = readTodo(list.output.text ?? '');
  const remaining = remainingInTodo(todo);
  return {
    complete: isTodoDone(todo),
    claimedIn: 'todo',
    questions: [],
    ...defined({ remaining, problem }),
    mark: list.output.text ?? '',
  };
}
