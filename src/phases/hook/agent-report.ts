/**
 * Applies the start or end of an agent to the phases.
 *
 * R1 An agent counts once, by its id or the tool call's id, however many hooks and transcripts report it.
 * R2 Its phase is the one recorded for it, else the one its prompt names, else the active one if that is for agents of its type.
 * R3 An agent that started before a phase does not belong to it; one that started before the workflow belongs to no phase.
 */
import { unreachable } from '../../model/unreachable.ts';
import { contextIn, deliverablesIn, lastPart } from '../deliverables.ts';
import { activeOf, createdAt, nextOf, type Phase, type PhasesDocument, takesAgent } from '../document.ts';
import {
  awaitAgent,
  type Changing,
  completePhase,
  failPhase,
  startNext,
  startPhase,
  type Transition,
} from '../transitions.ts';
import { namedPhase } from './event.ts';

export interface AgentReport {
  readonly ids: readonly string[];
  readonly prompt: string;
  /** `general-purpose`; empty if unknown. */
  readonly agentType: string;
  /** In ms; NaN if unknown. */
  readonly startedAt: number;
  /** ISO 8601: when it ended, or was launched. */
  readonly at: string;
  readonly end:
    | { readonly type: 'starting' }
    /** It continues in the background. */
    | { readonly type: 'launched' }
    | { readonly type: 'done'; readonly text: string }
    | { readonly type: 'failed'; readonly error: string };
  /** Reported long afterwards: uncertain cases are left alone. */
  readonly isCertainOnly?: boolean;
}

export function recordReport(document: PhasesDocument, report: AgentReport, workspace: string): Transition {
  const unchanged: Transition = { document, changes: [] };
  const { end, ids, at } = report;
  if (isCounted(document, ids)) return unchanged;
  const named = namedPhase(report.prompt);
  if (end.type === 'starting') return starting(document, named, report);
  const phase = phaseOf(document, report, named);
  if (phase === undefined) return unchanged;
  const doing = { at, agentIds: ids, fromPending: true };
  switch (end.type) {
    case 'launched':
      return launched(document, phase, report);
    case 'failed':
      return orUnchanged(unchanged, failPhase(document, phase.id, { ...doing, error: end.error }));
    case 'done': {
      const sinceMs = Date.parse(phase.started_at ?? '');
      const since = Number.isNaN(sinceMs) ? report.startedAt : sinceMs;
      const answer = lastPart(end.text);
      return orUnchanged(
        unchanged,
        completePhase(document, phase.id, {
          ...doing,
          deliverables: deliverablesIn(answer, { workspace, sinceMs: since }),
          context: contextIn(answer),
        }),
      );
    }
    default:
      return unreachable(end);
  }
}

/** Starts the phase that the agent will work on, if it is for one. */
function starting(document: PhasesDocument, named: string | undefined, report: AgentReport): Transition {
  const unchanged: Transition = { document, changes: [] };
  const { at, agentType } = report;
  if (named !== undefined) return orUnchanged(unchanged, startPhase(document, named, { at }));
  const phase = activeOf(document.phases) ?? nextOf(document.phases);
  if (phase === undefined || !takesAgent(phase, agentType)) return unchanged;
  return orUnchanged(unchanged, startNext(document, { at }));
}

function launched(document: PhasesDocument, phase: Phase, report: AgentReport): Transition {
  const before: Transition = { document, changes: [] };
  const begun =
    phase.status === 'pending'
      ? orUnchanged(before, startPhase(document, phase.id, { at: report.at }))
      : before;
  const [agentId] = report.ids;
  if (agentId === undefined) return begun;
  const awaited = orUnchanged(begun, awaitAgent(begun.document, phase.id, agentId));
  return { document: awaited.document, changes: [...begun.changes, ...awaited.changes] };
}

/** R1 */
export function isCounted(document: PhasesDocument, ids: readonly string[]): boolean {
  return document.phases.some((phase) => ids.some((id) => phase.agent_ids?.includes(id) === true));
}

/** R2, R3 */
function phaseOf(
  document: PhasesDocument,
  report: AgentReport,
  named: string | undefined,
): Phase | undefined {
  const awaited = document.phases.find((phase) =>
    report.ids.some((id) => phase.waiting_for?.includes(id) === true),
  );
  if (awaited !== undefined) return awaited;
  if (report.startedAt < createdAt(document)) return undefined;
  if (named !== undefined) return document.phases.find((phase) => phase.id === named);
  const active = activeOf(document.phases);
  if (active === undefined || !takesAgent(active, report.agentType)) return undefined;
  const begunAt = Date.parse(active.started_at ?? '');
  if (report.startedAt < begunAt) return undefined;
  const isCertain = report.startedAt >= begunAt;
  return report.isCertainOnly === true && !isCertain ? undefined : active;
}

/** A report that comes too late or at the wrong time changes nothing. */
function orUnchanged(unchanged: Transition, changing: Changing): Transition {
  return changing.type === 'ok' ? changing.value : unchanged;
}
