/** Asks the user before a tool runs. */
import type { ToolAction } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import { unreachable } from '../../model/unreachable.ts';
import { quoteWords } from '../../template/quote.ts';
import { type Decision, type Loop, type Stopped, toolKey } from '../conversation.ts';
import { keep } from '../keep-files.ts';
import type { CheckedRequest } from './check-requests.ts';

const LONGEST_SHOWN = 300;

/** Asks about each request that needs approval, in order, before any of them runs. */
export async function decideAll(
  loop: Loop,
  iteration: number,
  requests: readonly CheckedRequest[],
): Promise<Stopped | ReadonlyMap<string, Decision>> {
  const decisions = new Map<string, Decision>();
  for (const request of requests) {
    if (request.type === 'malformed' || loop.input.dryRun === true) continue;
    const { approve, name } = request.tool;
    if (approve === 'never') continue;
    const known = approve === 'once' ? loop.decided.get(name) : undefined;
    const decision = known ?? (await ask(loop, iteration, request));
    if ('failure' in decision) return decision;
    loop.decided.set(name, decision);
    decisions.set(request.id, decision);
  }
  return decisions;
}

async function ask(
  loop: Loop,
  iteration: number,
  request: Extract<CheckedRequest, { type: 'sound' }>,
): Promise<Decision | Stopped> {
  const key = toolKey(iteration, request.id);
  const unkept = await keep(loop, key, [{ type: 'session', side: 'asks', set: { status: 'waiting' } }]);
  if (unkept !== undefined) return unkept;
  const answer = await loop.durable.answer(key, {
    message: `allow \`${request.name}\` to ${actionText(request.action)}?`,
    choices: ['allow', 'deny'],
  });
  const stuck = await keep(loop, key, [{ type: 'session', side: 'goes-on', set: { status: 'running' } }]);
  if (stuck !== undefined) return stuck;
  const comment = answer.type === 'chosen' ? answer.comment : undefined;
  return { allowed: answer.choice === 'allow', ...defined({ comment }) };
}

/** What it would do, on one line. */
export function actionText(action: ToolAction): string {
  const whole = wholeText(action).replace(/\s+/g, ' ');
  return whole.length > LONGEST_SHOWN ? `${whole.slice(0, LONGEST_SHOWN)}…` : whole;
}

function wholeText(action: ToolAction): string {
  switch (action.type) {
    case 'command':
      return `run ${quoteWords(action.argv)}`;
    case 'read-file':
      return `read \`${action.path}\``;
    case 'write-file':
      return `write ${Buffer.byteLength(action.content)} bytes to \`${action.path}\``;
    case 'list-files':
      return `list \`${action.glob}\``;
    case 'search':
      return `search \`${action.glob}\` for \`${action.pattern}\``;
    default:
      return unreachable(action);
  }
}
