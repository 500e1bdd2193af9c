/** Judges a call; the first cause wins: not started, not written, how it ended, what it answered. */
import { classify } from '../../agents/classify.ts';
import type { AgentSummary } from '../../agents/summary.ts';
import { type AgentOutcome, type Denied, succeeded } from '../../model/agent.ts';
import { TOOL_KEYS_OF } from '../../model/agent-tools.ts';
import { defined } from '../../model/defined.ts';
import { type Failure, outcomeName } from '../../model/failure.ts';
import { textOnlyAgent, UNVERIFIED } from '../../model/text-only-agent.ts';
import type { RunAgentInput } from '../contracts.ts';
import { type Answer, readAnswer, readPlain } from './answer.ts';
import type { Guard } from './guard.ts';
import type { AgentCallResult } from './output.ts';
import type { PlannedCall } from './planned-call.ts';
import type { SourceEnd } from './source.ts';

export interface Judged {
  readonly input: RunAgentInput;
  readonly planned: PlannedCall;
  readonly summary: AgentSummary;
  readonly end: SourceEnd;
  readonly guard?: Pick<Guard, 'refused' | 'refusalOf'>;
}

export type Judgement = Pick<AgentCallResult, 'answer' | 'outcome' | 'failure' | 'denied'>;

export function judge({ input, planned, summary: seen, end, guard }: Judged): Judgement {
  const summary = guard === undefined ? seen : { ...seen, refused: guard.refused(seen) };
  const failed = (failure: Failure, answer: Answer = {}): Judgement => ({
    answer,
    outcome: outcomeName(failure),
    failure,
  });
  const wanted = { schema: input.jsonSchema, isWish: input.schemaIsWish === true };
  if (end.type === 'not-started') return failed(startFailure(end.failure));
  if (end.writeFailure !== undefined) return failed(end.writeFailure);
  if (planned.reading.type === 'plain') {
    const answer = readPlain(planned.reading.plain, end, wanted);
    if (answer.failure !== undefined) return failed(answer.failure, answer);
    const isKnown =
      planned.reading.plain.exitCodes?.['0'] === 'done' || textOnlyAgent(planned.call.argv) === undefined;
    return { answer, outcome: isKnown ? 'done' : UNVERIFIED };
  }
  const classified = classify({
    adapter: planned.reading.adapter,
    summary,
    exit: end.exit,
    schemaAsked: input.jsonSchema !== undefined,
  });
  // It answered although its tools are off, so nothing was done by the attempted call.
  const isMereTry =
    input.toolsOff === true && classified.type === 'denied' && summary.result?.isError === false;
  const judged: AgentOutcome = isMereTry ? { type: 'done' } : classified;
  const by = judged.type === 'denied' && judged.by === undefined ? guard?.refusalOf(summary) : undefined;
  const outcome = judged.type === 'denied' ? withCause({ ...judged, ...defined({ by }) }, input) : judged;
  const denied = input.toleratesDenial === true ? finishedDenial(outcome) : undefined;
  if (!succeeded(outcome) && denied === undefined) {
    const text = summary.result?.text;
    return failed({ type: 'agent', outcome }, text === undefined ? {} : { text });
  }
  const answer = readAnswer(summary, wanted);
  // The refusal may be why the answer is wrong.
  if (answer.failure !== undefined)
    return failed(denied === undefined ? answer.failure : { type: 'agent', outcome: denied }, answer);
  return denied === undefined ? { answer, outcome: outcome.type } : { answer, outcome: 'done', denied };
}

/** What of the call's own settings refused it, and what would allow it. */
function withCause(denied: Denied, { agent, permissions, permit, tools }: RunAgentInput): Denied {
  const refused = new Set((tools?.denied ?? []).map((rule) => rule.replace(/\(.*$/s, '')));
  if (denied.by === undefined && denied.tools.length > 0 && denied.tools.every((tool) => refused.has(tool)))
    return { ...denied, by: 'denied-tools' };
  if (denied.by === 'ask-rule' || denied.by === 'person') return denied;
  if (permissions === 'bypass') return { ...denied, isBypassed: true };
  const hasList = agent.type !== 'builtin' || TOOL_KEYS_OF[agent.adapter].includes('allowed_tools');
  return { ...denied, ...(hasList ? {} : { hasNoList: true }), ...defined({ permit }) };
}

function finishedDenial(outcome: AgentOutcome): Denied | undefined {
  return outcome.type === 'denied' && outcome.isFinished === true ? outcome : undefined;
}

function startFailure(failure: Failure): Failure {
  return failure.type === 'not-found'
    ? { type: 'agent', outcome: { type: 'not-found', program: failure.program } }
    : failure;
}
