/**
 * The allowed changes of a phase and their consequences:
 *
 *   pending ──start──▶ active ──complete──▶ completed
 *                        │  ▲ ◀─────────reopen──┘
 *                       fail  retry
 *                        ▼  │
 *                       failed
 *
 * T1 A phase can start only when no other is active and none is failed.
 * T2 Completing a phase starts the next pending one, unless another is active or failed.
 * T3 Every change of a phase is one entry in the history.
 * T4 Reopening a phase takes back its results, and the start of another phase that is active or failed. The history keeps the results.
 */
import { defined } from '../model/defined.ts';
import { error, ok, type Result } from '../model/result.ts';
import {
  activeOf,
  failedOf,
  nextOf,
  type Phase,
  type PhaseStatus,
  type PhasesDocument,
  settled,
} from './document.ts';
import type { PhaseRefusal } from './refusals.ts';

/** One history line, without the fields shared by all. */
export interface Change {
  readonly phase: string;
  readonly from: PhaseStatus;
  readonly to: PhaseStatus;
  readonly deliverables?: readonly string[];
  readonly context_for_next?: string;
  readonly error?: string;
  readonly agent_ids?: readonly string[];
}

export interface Transition {
  readonly document: PhasesDocument;
  readonly changes: readonly Change[];
}

export type Changing = Result<Transition, PhaseRefusal>;

/** What made the change, for the record. */
export interface Doing {
  /** ISO 8601. */
  readonly at: string;
  /** Ids that make its end count only once. */
  readonly agentIds?: readonly string[];
  readonly runId?: string;
}

export interface Completion extends Doing {
  readonly deliverables: readonly string[];
  readonly context: string;
  /** The agent named the phase explicitly, so even a pending phase may be completed. */
  readonly fromPending?: boolean;
}

export function startPhase(document: PhasesDocument, id: string, doing: Doing): Changing {
  const found = findPhase(document, id);
  if (found.type === 'error') return found;
  const phase = found.value;
  const failed = failedOf(document.phases);
  if (failed !== undefined) return error(failedRefusal(failed));
  const active = activeOf(document.phases);
  if (active !== undefined && active.id !== id) {
    return error({ type: 'other-phase-active', phase: active.id });
  }
  if (phase.status !== 'pending') return error({ type: 'phase-has-status', phase: id, status: phase.status });
  return ok(begin(document, phase, doing));
}

/** The active phase, if any; otherwise starts the next pending one. */
export function startNext(document: PhasesDocument, doing: Doing): Changing {
  if (activeOf(document.phases) !== undefined) return ok({ document, changes: [] });
  const failed = failedOf(document.phases);
  if (failed !== undefined) return error(failedRefusal(failed));
  const next = nextOf(document.phases);
  return next === undefined ? error({ type: 'phases-completed' }) : ok(begin(document, next, doing));
}

export function completePhase(document: PhasesDocument, id: string, done: Completion): Changing {
  const found = findPhase(document, id);
  if (found.type === 'error') return found;
  const phase = found.value;
  if (phase.status === 'completed')
    return error({ type: 'phase-has-status', phase: id, status: 'completed' });
  if (phase.status === 'failed') return error(failedRefusal(phase));
  if (phase.status === 'pending' && done.fromPending !== true) return error(pendingRefusal(document, id));
  const begun = phase.status === 'pending' ? begin(document, phase, done) : { document, changes: [] };
  const completed = put(begun.document, id, (was) => ({
    ...was,
    status: 'completed',
    deliverables: [...new Set([...was.deliverables, ...done.deliverables])],
    context_for_next: done.context === '' ? was.context_for_next : done.context,
    completed_at: done.at,
    ...counted(was, done),
  }));
  const entry = entryOf(id, { from: 'active', to: 'completed' }, done);
  const changes = [...begun.changes, { ...entry, deliverables: done.deliverables }];
  // T2
  const { phases } = completed;
  const next = activeOf(phases) === undefined && failedOf(phases) === undefined ? nextOf(phases) : undefined;
  if (next === undefined) return ok({ document: completed, changes });
  const followed = begin(completed, next, { at: done.at });
  return ok({ document: followed.document, changes: [...changes, ...followed.changes] });
}

/** Only one phase can be active: another one has to end first. */
function pendingRefusal({ phases }: PhasesDocument, id: string): PhaseRefusal {
  return { type: 'phase-pending', phase: id, active: activeOf(phases)?.id };
}

export function failPhase(
  document: PhasesDocument,
  id: string,
  failure: Doing & { readonly error: string; readonly fromPending?: boolean },
): Changing {
  const found = findPhase(document, id);
  if (found.type === 'error') return found;
  const phase = found.value;
  if (phase.status === 'failed' || phase.status === 'completed')
    return error({ type: 'phase-has-status', phase: id, status: phase.status });
  if (phase.status === 'pending' && failure.fromPending !== true) return error(pendingRefusal(document, id));
  const begun = phase.status === 'pending' ? begin(document, phase, failure) : { document, changes: [] };
  const failed = put(begun.document, id, (was) => ({
    ...was,
    status: 'failed',
    error: failure.error,
    completed_at: failure.at,
    ...counted(was, failure),
  }));
  const entry = entryOf(id, { from: 'active', to: 'failed' }, failure);
  return ok({ document: failed, changes: [...begun.changes, { ...entry, error: failure.error }] });
}

export function retryPhase(document: PhasesDocument, id: string, doing: Doing): Changing {
  const found = findPhase(document, id);
  if (found.type === 'error') return found;
  const phase = found.value;
  if (phase.status !== 'failed') return error({ type: 'phase-not-failed', phase: id, status: phase.status });
  const active = activeOf(document.phases);
  if (active !== undefined) return error({ type: 'phase-active', phase: active.id });
  return ok(begin(document, phase, doing));
}

/** Undoes the completion of a phase: it is active again, without results. Agents that were counted stay counted. */
export function reopenPhase(document: PhasesDocument, id: string, doing: Doing): Changing {
  const found = findPhase(document, id);
  if (found.type === 'error') return found;
  const phase = found.value;
  if (phase.status === 'failed') return error(failedRefusal(phase));
  if (phase.status !== 'completed')
    return error({ type: 'phase-not-completed', phase: id, status: phase.status });
  const { deliverables, context_for_next } = phase;
  const begun = begin(document, phase, doing);
  const reopened = put(begun.document, id, (was) => ({ ...was, deliverables: [], context_for_next: '' }));
  const entries = begun.changes.map((entry) => ({ ...entry, deliverables, context_for_next }));
  // T4
  const others = document.phases.filter(({ status }) => status === 'active' || status === 'failed');
  const waiting = others.reduce((reached, other) => put(reached, other.id, unbegun), reopened);
  const undone = others.map((other): Change => ({ phase: other.id, from: other.status, to: 'pending' }));
  return ok({ document: waiting, changes: [...entries, ...undone] });
}

function unbegun({
  error: _error,
  started_at: _startedAt,
  completed_at: _completedAt,
  ...phase
}: Phase): Phase {
  return { ...phase, status: 'pending' };
}

/** Records which agent works on a phase and will report later. */
export function awaitAgent(document: PhasesDocument, id: string, agentId: string): Changing {
  const found = findPhase(document, id);
  if (found.type === 'error') return found;
  const { status, waiting_for = [] } = found.value;
  if (waiting_for.includes(agentId)) return ok({ document, changes: [] });
  const awaited = put(document, id, (was) => ({ ...was, waiting_for: [...waiting_for, agentId] }));
  return ok({
    document: awaited,
    changes: [entryOf(id, { from: status, to: status }, { agentIds: [agentId] })],
  });
}

function begin(document: PhasesDocument, phase: Phase, doing: Doing): Transition {
  const begun = put(document, phase.id, ({ error: _error, completed_at: _completedAt, ...was }) => ({
    ...was,
    status: 'active',
    started_at: doing.at,
    attempts: (was.attempts ?? 0) + 1,
    ...defined({ run_id: doing.runId }),
  }));
  return { document: begun, changes: [{ phase: phase.id, from: phase.status, to: 'active' }] };
}

function put(document: PhasesDocument, id: string, change: (phase: Phase) => Phase): PhasesDocument {
  return settled(
    document,
    document.phases.map((phase) => (phase.id === id ? change(phase) : phase)),
  );
}

function counted(phase: Phase, { agentIds = [] }: Doing): Partial<Phase> {
  if (agentIds.length === 0) return {};
  const { waiting_for = [] } = phase;
  return {
    agent_ids: [...new Set([...(phase.agent_ids ?? []), ...agentIds])],
    ...(waiting_for.length === 0
      ? {}
      : { waiting_for: waiting_for.filter((agentId) => !agentIds.includes(agentId)) }),
  };
}

function entryOf(
  phase: string,
  change: { readonly from: PhaseStatus; readonly to: PhaseStatus },
  { agentIds = [] }: Pick<Doing, 'agentIds'>,
): Change {
  return { phase, ...change, ...(agentIds.length === 0 ? {} : { agent_ids: agentIds }) };
}

export function findPhase(document: PhasesDocument, id: string): Result<Phase, PhaseRefusal> {
  const phase = document.phases.find((each) => each.id === id);
  if (phase !== undefined) return ok(phase);
  return error({ type: 'unknown-phase', phase: id, phases: document.phases.map((each) => each.id) });
}

function failedRefusal({ id, error: reason }: Phase): PhaseRefusal {
  return { type: 'phases-stopped', phase: id, reason };
}
