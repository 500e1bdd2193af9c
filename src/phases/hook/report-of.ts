import { isoTime } from '../../model/iso-time.ts';
import type { AgentReport } from './agent-report.ts';
import { type HookEvent, isAgentTool, readAgentResponse } from './event.ts';
import { type AgentTranscript, aboutAgent, agentTranscript, readAgent } from './transcript.ts';

/** What an event says about an agent that can have a phase. */
export type EventReport =
  | { readonly type: 'report'; readonly report: AgentReport }
  /** It is not about such an agent. */
  | { readonly type: 'none' }
  /** It is, but does not say how the agent ended. */
  | { readonly type: 'unclear'; readonly why: string };

const NONE: EventReport = { type: 'none' };

export function reportOf(event: HookEvent): EventReport {
  const isCall = isAgentTool(event.tool?.name) && event.agentId === undefined;
  switch (event.name) {
    case 'pre-tool-use':
      return isCall ? report(event, { ids: [], startedAt: Number.NaN, end: { type: 'starting' } }) : NONE;
    case 'post-tool-use':
      return isCall ? endOfCall(event) : NONE;
    case 'post-tool-use-failure': {
      // An agent stopped by the user has not failed.
      if (!isCall || event.isInterrupt) return NONE;
      const end = { type: 'failed', error: event.error ?? 'the agent failed' } as const;
      return report(event, { ids: useIds(event), startedAt: beganAt(event, undefined), end });
    }
    case 'subagent-stop':
    case 'stop-failure':
      return event.agentId === undefined ? NONE : endOfAgent(event, event.agentId);
    default:
      return NONE;
  }
}

function endOfCall(event: HookEvent): EventReport {
  const response = readAgentResponse(event.tool?.response);
  if (!response.isKnown) {
    const what = event.tool?.response === undefined ? 'no response' : 'a response of unknown shape';
    return { type: 'unclear', why: `the event has ${what}, so no phase was changed` };
  }
  const ids = [...(response.agentId === undefined ? [] : [response.agentId]), ...useIds(event)];
  const path = transcriptOf(event, response.agentId);
  const own = path === undefined ? undefined : readAgent(path);
  const startedAt = beganAt(event, own);
  if (response.isLaunched) return report(event, { ids, startedAt, end: { type: 'launched' } });
  const failure = own?.error ?? (response.isCutOff ? response.text : undefined);
  const end =
    failure === undefined
      ? ({ type: 'done', text: response.text } as const)
      : ({ type: 'failed', error: failure } as const);
  return report(event, { ids, startedAt, end });
}

function endOfAgent(event: HookEvent, agentId: string): EventReport {
  const path = event.agentTranscriptPath ?? transcriptOf(event, agentId);
  const about = aboutAgent(path);
  // A nested agent did part of its parent's work.
  if (about.isNested) return NONE;
  const own = path === undefined ? undefined : readAgent(path);
  const startedAt = own?.startedAt ?? Number.NaN;
  const { lastMessage, error } = event;
  const by = { prompt: own?.prompt ?? '', agentType: event.agentType ?? about.agentType };
  if (event.name === 'stop-failure') {
    const end = { type: 'failed', error: lastMessage ?? error ?? 'the agent failed' } as const;
    return report(event, { ids: [agentId], startedAt, end, ...by });
  }
  if (lastMessage === undefined)
    return { type: 'unclear', why: 'the event has no last message of the agent, so no phase was changed' };
  return report(event, { ids: [agentId], startedAt, end: { type: 'done', text: lastMessage }, ...by });
}

function report(
  { tool }: HookEvent,
  reported: Pick<AgentReport, 'ids' | 'startedAt' | 'end'> & Partial<AgentReport>,
): EventReport {
  const { prompt, subagent_type: agentType } = tool?.input ?? {};
  const asked = { prompt: wordsOf(prompt), agentType: wordsOf(agentType) };
  return { type: 'report', report: { at: isoTime(), ...asked, ...reported } };
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function useIds({ tool }: HookEvent): readonly string[] {
  return tool?.useId === undefined ? [] : [tool.useId];
}

function transcriptOf(event: HookEvent, agentId: string | undefined): string | undefined {
  return event.transcriptPath === undefined ? undefined : agentTranscript(event.transcriptPath, agentId);
}

/** From its own transcript; otherwise calculated back from now. */
function beganAt(event: HookEvent, own: AgentTranscript | undefined): number {
  if (own !== undefined && !Number.isNaN(own.startedAt)) return own.startedAt;
  return event.durationMs === undefined ? Number.NaN : Date.now() - event.durationMs;
}
