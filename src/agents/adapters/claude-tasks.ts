import type { AgentEvent, AgentTodo } from '../../model/agent.ts';
import type { JsonValue } from '../../model/json.ts';
import { objectOf, textOf } from '../fields.ts';

/** The list that TaskCreate and TaskUpdate keep, put together from what those tools answer. */
export function createTaskList(): { seen(toolUseResult: JsonValue | undefined): readonly AgentEvent[] } {
  const tasks = new Map<string, AgentTodo>();

  function changed(): readonly AgentEvent[] {
    return [{ type: 'todo', items: [...tasks.values()] }];
  }

  return {
    seen(toolUseResult) {
      const answer = objectOf(toolUseResult);
      const created = objectOf(answer['task']);
      const createdId = textOf(created['id']);
      const subject = textOf(created['subject']);
      if (createdId !== undefined && subject !== undefined && !tasks.has(createdId)) {
        tasks.set(createdId, { content: subject, status: 'pending' });
        return changed();
      }
      const updatedId = textOf(answer['taskId']) ?? '';
      const task = tasks.get(updatedId);
      const status = textOf(objectOf(answer['statusChange'])['to']);
      if (task === undefined || status === undefined) return [];
      if (status === 'deleted') tasks.delete(updatedId);
      else if (status === 'pending' || status === 'in_progress' || status === 'completed') {
        tasks.set(updatedId, { ...task, status });
      }
      return changed();
    },
  };
}
