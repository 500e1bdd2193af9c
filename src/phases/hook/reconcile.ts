import { isoTime } from '../../model/iso-time.ts';
import type { PhasesDocument } from '../document.ts';
import type { Transition } from '../transitions.ts';
import { isCounted, recordReport } from './agent-report.ts';
import { agentTranscript, readAgent, readAgentCalls } from './transcript.ts';

/** Ends of agents found in the transcript that no hook has reported, in order. */
export function reconcile(
  document: PhasesDocument,
  from: {
    readonly transcriptPath: string;
    readonly workspace: string;
    /** How many bytes at the end of the transcript to read. Default: all of it, as far as it can be read. */
    readonly mostBytes?: number;
  },
): Transition {
  let reached: Transition = { document, changes: [] };
  const isSettled = document.phases.every(({ status }) => status === 'completed' || status === 'failed');
  if (isSettled) return reached;
  for (const { useId, prompt, agentType, startedAt, end } of readAgentCalls(
    from.transcriptPath,
    from.mostBytes,
  )) {
    if (end === undefined || Number.isNaN(end.at)) continue;
    const ids = [...(end.agentId === undefined ? [] : [end.agentId]), useId];
    // Agents already reported by hooks are not read further.
    if (isCounted(reached.document, ids)) continue;
    const path = agentTranscript(from.transcriptPath, end.agentId);
    const own = path === undefined ? undefined : readAgent(path);
    const begun = own?.startedAt ?? Number.NaN;
    const failure = end.isError ? end.text : own?.error;
    const next = recordReport(
      reached.document,
      {
        ids,
        prompt,
        agentType,
        // The call is in the transcript before the hook that starts its phase has run.
        startedAt: Number.isNaN(begun) ? startedAt : begun,
        at: isoTime(new Date(end.at)),
        end: failure === undefined ? { type: 'done', text: end.text } : { type: 'failed', error: failure },
        isCertainOnly: true,
      },
      from.workspace,
    );
    reached = { document: next.document, changes: [...reached.changes, ...next.changes] };
  }
  return reached;
}
