/** The words that callers may use for tasks and sessions. */
export {
  COMPLEXITIES,
  type Complexity,
  SESSION_KINDS,
  type SessionKind,
} from '../../session/document/session-file.ts';
export { TASK_STATUSES, TASK_TYPES, type TaskStatus, type TaskType } from '../../session/document/task.ts';
