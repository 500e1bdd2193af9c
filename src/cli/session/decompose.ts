import { findTask, loadGraph, whyNotDivided } from '../../session/tasks.ts';
import type { CliContext } from '../context.ts';
import { type PlanFlags, planWithAgent } from './plan-session.ts';
import { sessionOrTell, tell, valueOrTell } from './tell.ts';

/** An agent proposes the subtasks. */
export async function decomposeByAgent(
  context: CliContext,
  given: { readonly id: string; readonly flags: PlanFlags },
): Promise<void> {
  const session = sessionOrTell(context, given.flags.session);
  if (session === undefined) return;
  const graph = loadGraph(session);
  const task = valueOrTell(context, findTask(graph, given.id));
  if (task === undefined) return;
  const problem = whyNotDivided(graph, task);
  if (problem !== undefined) return tell(context, problem);
  const request = [task.title, ...task.requirements].join('\n');
  context.exitCode = await planWithAgent(context, session, { request, flags: given.flags, parent: task });
}
