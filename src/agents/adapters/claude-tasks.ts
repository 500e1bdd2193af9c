import type { AgentEvent, AgentTodo } from '../../model/agent.ts';
import type { JsonValue } from '../../model/json.ts';
import { objectOf, textOf } from '../fields.ts';

/** The list kept by TaskCreate and TaskUpdate, assembled from the results of these tools. */
export function createTaskList(): {
  /** Adds the list to `events` if it changed. */
  seen(toolUseResult: JsonValue | undefined, events: AgentEvent[]): AgentEvent[];
} {
  const tasks = new Map<string, AgentTodo>();

  function changed(events: AgentEvent[]): AgentEvent[] {
    events.push({ type: 'todo', items: [...tasks.values()] });
    return events;
  }

  return {
    seen(toolUseResult, events) {
      const answer = objectOf(toolUseResult);
      const created = objectOf(answer['task']);
      const createdId = textOf(created['id']);
      const subject = textOf(created['subject']);
      if (createdId !== undefined && subject !== undefined && !tasks.has(createdId)) {
        tasks.set(createdId, { content: subject, status: 'pending' });
        return changed(events);
      }
      const updatedId = textOf(answer['taskId']) ?? '';
      const task = tasks.get(updatedId);
      const status = textOf(objectOf(answer['statusChange'])['to']);
      if (task === undefined || status === undefined) return events;
      if (status === 'deleted') tasks.delete(updatedId);
      else if (status === 'pending' || status === 'in_progress' || status === 'completed') {
        tasks.set(updatedId, { ...task, status });
      }
      return changed(events);
    },
  };
}
