/** Asks the user before a tool runs. */
import type { ToolAction } from '../../effects/contracts.ts';
import { runAll } from '../../engine/pool.ts';
import { defined } from '../../model/defined.ts';
import { sideKey } from '../../model/ids.ts';
import { unreachable } from '../../model/unreachable.ts';
import { quoteWords } from '../../template/quote.ts';
import { type Decision, iterationKey, type Loop, type Stopped, toolKey } from '../conversation.ts';
import { keep } from '../keep-files.ts';
import type { CheckedRequest } from './check-requests.ts';

const LONGEST_SHOWN = 300;

type SoundRequest = Extract<CheckedRequest, { type: 'sound' }>;

/** Asks about all requests of a turn that need approval at once, before any of them runs. */
export async function decideAll(
  loop: Loop,
  iteration: number,
  requests: readonly CheckedRequest[],
): Promise<Stopped | ReadonlyMap<string, Decision>> {
  if (loop.input.dryRun === true) return new Map();
  const guarded = requests.filter(needsApproval);
  const asked = await askAll(loop, iteration, toAsk(loop, guarded));
  if ('failure' in asked) return asked;
  const decisions = new Map<string, Decision>();
  for (const { id, name } of guarded) {
    const decision = asked.get(id) ?? loop.decided.get(name);
    if (decision === undefined) throw new Error(`nobody was asked about \`${id}\``);
    loop.decided.set(name, decision);
    decisions.set(id, decision);
  }
  return decisions;
}

function needsApproval(request: CheckedRequest): request is SoundRequest {
  return request.type === 'sound' && request.tool.approve !== 'never';
}

/** With `approve: once`, only the first request of a tool. */
function toAsk({ decided }: Loop, guarded: readonly SoundRequest[]): readonly SoundRequest[] {
  const names = new Set(decided.keys());
  return guarded.filter(({ name, tool }) => {
    const isKnown = tool.approve === 'once' && names.has(name);
    names.add(name);
    return !isKnown;
  });
}

async function askAll(
  loop: Loop,
  iteration: number,
  requests: readonly SoundRequest[],
): Promise<Stopped | ReadonlyMap<string, Decision>> {
  if (requests.length === 0) return new Map();
  const key = iterationKey(iteration);
  const unkept = await keep(loop, key, [{ type: 'session', side: 'asks', set: { status: 'waiting' } }]);
  if (unkept !== undefined) return unkept;
  const decided = await runAll(
    loop.durable,
    requests.length,
    requests.map((request) => ({
      key: sideKey(toolKey(iteration, request.id), 'approval'),
      // Asked by the conversation itself, so that the question has the key of the tool.
      body: async () => [request.id, await ask(loop, iteration, request)] as const,
    })),
  );
  const stuck = await keep(loop, key, [{ type: 'session', side: 'goes-on', set: { status: 'running' } }]);
  return stuck ?? new Map(decided);
}

async function ask({ durable }: Loop, iteration: number, request: SoundRequest): Promise<Decision> {
  const answer = await durable.answer(toolKey(iteration, request.id), {
    message: `allow \`${request.name}\` to ${actionText(request.action)}?`,
    choices: ['allow', 'deny'],
  });
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
