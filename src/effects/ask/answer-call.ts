/**
 * The answer of the hook to one tool call.
 *
 * H1 A person's answer counts for one call, once: the mark is made before the agent may run it.
 * H2 If the mark exists, the call may have run before a kill. Whether it runs again is asked, never assumed.
 * H3 A subagent cannot wait for a person: its call is refused, with the request to leave it to the agent that started it.
 */
import { join } from 'node:path';
import { defined } from '../../model/defined.ts';
import type { JsonObject } from '../../model/json.ts';
import { unreachable } from '../../model/unreachable.ts';
import { placeFile } from '../../store/atomic-write.ts';
import { callDigest, type Grant, type HookRules } from './contract.ts';
import { decide, type ToolCall } from './decide.ts';

export interface HookCall extends ToolCall {
  readonly id: string;
  readonly cwd: string;
  readonly isSubagent: boolean;
}

export type HookAnswer =
  | { readonly type: 'none' | 'allow' | 'defer' }
  | { readonly type: 'deny'; readonly reason: string };

export function answerCall(given: HookRules, call: HookCall): HookAnswer {
  const granted = byGrant(given, call);
  if (granted !== undefined) return granted;
  const place = {
    root: given.root,
    cwd: call.cwd,
    ...defined({ home: given.home }),
  };
  const decision = decide(given.rules, call, place);
  switch (decision) {
    case undefined:
    case 'allow':
      return { type: 'none' };
    case 'deny':
      return { type: 'deny', reason: DENIED_BY_RULE };
    case 'ask':
      // H3
      return call.isSubagent ? { type: 'deny', reason: LEAVE_TO_CALLER } : { type: 'defer' };
    default:
      return unreachable(decision);
  }
}

function byGrant({ grants, marks }: HookRules, call: HookCall): HookAnswer | undefined {
  // The last answer about a call counts.
  const own = grants.findLast(({ id }) => id === call.id);
  // H1, H2
  if (own !== undefined)
    return own.choice === 'deny' ? denied(own) : { type: takeMark(marks, own.name) ? 'allow' : 'defer' };
  // Nearly every call: its digest would be a tenth of the work of the hook.
  if (grants.length === 0) return undefined;
  const digest = callDigest(call);
  const lost = grants.filter((grant) => grant.digest === digest);
  const refusal = lost.find(({ choice }) => choice === 'deny');
  if (refusal !== undefined) return denied(refusal);
  return lost.some(({ name }) => takeMark(marks, name)) ? { type: 'allow' } : undefined;
}

/** True for one caller only, and on disk before this returns. */
function takeMark(folder: string, name: string): boolean {
  return placeFile(join(folder, name), '');
}

function denied({ comment }: Grant): HookAnswer {
  const words = comment === undefined ? '' : ` They said: ${comment}`;
  return { type: 'deny', reason: `A person denied this call.${words} ${DO_WITHOUT}` };
}

const DO_WITHOUT =
  'Do not try to get the same effect in another way. Continue without it, or end and say what is missing.';
const DENIED_BY_RULE = `A rule denies this call. ${DO_WITHOUT}`;
const LEAVE_TO_CALLER =
  'This call needs the approval of a person, and a subagent cannot wait for it. End now and report the exact call that is needed: the agent that started you has to make it.';

/** As Claude Code reads it; undefined: nothing is printed. */
export function renderAnswer(answer: HookAnswer): JsonObject | undefined {
  if (answer.type === 'none') return undefined;
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: answer.type,
      ...(answer.type === 'deny' ? { permissionDecisionReason: answer.reason } : {}),
    },
  };
}
