import type { AgentReport } from './agent-report.ts';
import { type HookEvent, isAgentTool, readAgentResponse } from './event.ts';
import { type AgentTranscript, agentTranscript, isNested, readAgent } from './transcript.ts';

/** The report in an event, if it is about an agent that can have a phase. */
export function reportOf(event: HookEvent): AgentReport | undefined {
  const { tool, agentId } = event;
  const at = new Date().toISOString();
  const isAgent = isAgentTool(tool?.name);
  const prompt = typeof tool?.input['prompt'] === 'string' ? tool.input['prompt'] : '';
  const useIds = tool?.useId === undefined ? [] : [tool.useId];
  switch (event.name) {
    case 'pre-tool-use':
      if (!isAgent || agentId !== undefined) return undefined;
      return { ids: [], prompt, startedAt: Number.NaN, at, end: { type: 'starting' } };
    case 'post-tool-use': {
      if (!isAgent || agentId !== undefined) return undefined;
      const response = readAgentResponse(tool?.response);
      const ids = [...(response.agentId === undefined ? [] : [response.agentId]), ...useIds];
      const path = transcriptOf(event, response.agentId);
      const own = path === undefined ? undefined : readAgent(path);
      const startedAt = beganAt(event, own);
      if (response.isLaunched) return { ids, prompt, startedAt, at, end: { type: 'launched' } };
      const failure = own?.error ?? (response.isCutOff ? response.text : undefined);
      return {
        ids,
        prompt,
        startedAt,
        at,
        end:
          failure === undefined ? { type: 'done', text: response.text } : { type: 'failed', error: failure },
      };
    }
    case 'post-tool-use-failure':
      // An agent stopped by the user has not failed.
      if (!isAgent || agentId !== undefined || event.isInterrupt) return undefined;
      return {
        ids: useIds,
        prompt,
        startedAt: beganAt(event, undefined),
        at,
        end: { type: 'failed', error: event.error ?? 'the agent failed' },
      };
    case 'subagent-stop':
    case 'stop-failure': {
      if (agentId === undefined) return undefined;
      const path = event.agentTranscriptPath ?? transcriptOf(event, agentId);
      // A nested agent did part of its parent's work.
      if (path !== undefined && isNested(path)) return undefined;
      const own = path === undefined ? undefined : readAgent(path);
      return {
        ids: [agentId],
        prompt: own?.prompt ?? '',
        startedAt: own?.startedAt ?? Number.NaN,
        at,
        end:
          event.name === 'subagent-stop'
            ? { type: 'done', text: event.lastMessage ?? '' }
            : { type: 'failed', error: event.lastMessage ?? event.error ?? 'the agent failed' },
      };
    }
    default:
      return undefined;
  }
}

function transcriptOf(event: HookEvent, agentId: string | undefined): string | undefined {
  return event.transcriptPath === undefined ? undefined : agentTranscript(event.transcriptPath, agentId);
}

/** From its own transcript; otherwise calculated back from now. */
function beganAt(event: HookEvent, own: AgentTranscript | undefined): number {
  if (own !== undefined && !Number.isNaN(own.startedAt)) return own.startedAt;
  return event.durationMs === undefined ? Number.NaN : Date.now() - event.durationMs;
}
