import { isoTime } from '../../model/iso-time.ts';
import type { AgentReport } from './agent-report.ts';
import { type HookEvent, isAgentTool, readAgentResponse } from './event.ts';
import { agentTranscript, isNested, readAgentError, readAgentStart } from './transcript.ts';

/** What an event tells of an agent, where it tells of one whose phase it is. */
export function reportOf(event: HookEvent): AgentReport | undefined {
  const { tool, agentId } = event;
  const at = isoTime();
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
      if (response.isLaunched)
        return { ids, prompt, startedAt: beganAt(event, response.agentId), at, end: { type: 'launched' } };
      const own = transcriptOf(event, response.agentId);
      const said = own === undefined ? undefined : readAgentError(own);
      const failure = said ?? (response.isCutOff ? response.text : undefined);
      return {
        ids,
        prompt,
        startedAt: beganAt(event, response.agentId),
        at,
        end:
          failure === undefined ? { type: 'done', text: response.text } : { type: 'failed', error: failure },
      };
    }
    case 'post-tool-use-failure':
      // An agent that a person has stopped has not failed.
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
      const own = event.agentTranscriptPath ?? transcriptOf(event, agentId);
      // One inside another has done a part of its work.
      if (own !== undefined && isNested(own)) return undefined;
      const start = own === undefined ? undefined : readAgentStart(own);
      return {
        ids: [agentId],
        prompt: start?.prompt ?? '',
        startedAt: start?.startedAt ?? Number.NaN,
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
  if (event.transcriptPath === undefined || agentId === undefined) return undefined;
  return agentTranscript(event.transcriptPath, agentId);
}

/** As its own transcript tells; else counted back from now. */
function beganAt(event: HookEvent, agentId: string | undefined): number {
  const own = transcriptOf(event, agentId);
  const told = own === undefined ? undefined : readAgentStart(own)?.startedAt;
  if (told !== undefined && !Number.isNaN(told)) return told;
  return event.durationMs === undefined ? Number.NaN : Date.now() - event.durationMs;
}
