/** Changes to a phase, one function each. Every result includes the changed document. */
import { defined } from '../../model/defined.ts';
import type { KeptFile } from '../../model/kept-file.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { activeOf, nextOf, type Phase, type PhasesDocument, previousOf } from '../../phases/document.ts';
import { changePhases, type Kept } from '../../phases/files/change-document.ts';
import type { ChangedBy } from '../../phases/history-line.ts';
import { phasesPaths } from '../../phases/layout.ts';
import {
  type Change,
  type Changing,
  completePhase as complete,
  failPhase as fail,
  reopenPhase as reopen,
  retryPhase as retry,
  startPhase as start,
  startNext,
  type Transition,
} from '../../phases/transitions.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { phasesProblem } from './phases-problem.ts';

export interface PhaseChanged {
  readonly document: PhasesDocument;
  /** The phase that was asked for. */
  readonly phase: Phase;
  /** Another phase that is now active. */
  readonly active?: Phase;
  readonly changes: readonly Change[];
  readonly kept: readonly KeptFile[];
}

type Changed = Promise<Result<PhaseChanged, Problem>>;

/** Default: the next pending phase. */
export function startPhase(site: Site, { phase }: { readonly phase?: string }): Changed {
  return change(site, (document) => {
    const id = phase ?? nextOf(document.phases)?.id;
    if (id === undefined) return error({ type: 'no-phase-left' });
    return start(document, id, { at: now(site) });
  });
}

export interface CompletePhase {
  readonly phase: string;
  /** Files that were created, and other results. */
  readonly deliverables?: readonly string[];
  /** What the agent of the next phase needs to know. */
  readonly context?: string;
}

/** Completes a phase and starts the next one. */
export function completePhase(site: Site, asked: CompletePhase): Changed {
  const { phase, deliverables = [], context = '' } = asked;
  return change(site, (document) => complete(document, phase, { at: now(site), deliverables, context }));
}

export interface FailPhase {
  readonly phase: string;
  /** Why. */
  readonly error?: string;
}

/** Fails a phase. No other phase starts until it is retried. */
export function failPhase(site: Site, asked: FailPhase): Changed {
  const { phase, error: reason = 'no reason given' } = asked;
  return change(site, (document) => fail(document, phase, { at: now(site), error: reason }));
}

export function retryPhase(site: Site, { phase }: { readonly phase: string }): Changed {
  return change(site, (document) => retry(document, phase, { at: now(site) }));
}

/** Undoes a completion: the phase is active again. */
export function reopenPhase(site: Site, { phase }: { readonly phase: string }): Changed {
  return change(site, (document) => reopen(document, phase, { at: now(site) }));
}

export interface NextPhase {
  readonly document: PhasesDocument;
  /** Absent: all phases are completed. */
  readonly phase?: Phase;
  /** The phase before it, whose context is handed over. */
  readonly previous?: Phase;
  readonly kept: readonly KeptFile[];
}

/** The active phase; starts one if none is active. */
export async function nextPhase(site: Site): Promise<Result<NextPhase, Problem>> {
  const changed = await changeDocument(site, (document) =>
    document.status === 'completed' ? ok({ document, changes: [] }) : startNext(document, { at: now(site) }),
  );
  if (changed.type === 'error') return changed;
  const { document, kept } = changed.value;
  const phase = activeOf(document.phases);
  const previous = phase === undefined ? undefined : previousOf(document, phase);
  return ok({ document, kept, ...defined({ phase, previous }) });
}

async function change(site: Site, make: (document: PhasesDocument) => Changing): Changed {
  const changed = await changeDocument(site, make);
  if (changed.type === 'error') return changed;
  const { document, changes, kept } = changed.value;
  const phase = document.phases.find(({ id }) => id === changes[0]?.phase);
  if (phase === undefined) throw new Error('the changed phase does not exist');
  const active = activeOf(document.phases);
  const other = active === undefined || active.id === phase.id ? {} : { active };
  return ok({ document, phase, ...other, changes, kept });
}

async function changeDocument(
  site: Site,
  make: (document: PhasesDocument) => Changing,
): Promise<Result<Transition & Kept, Problem>> {
  const changed = await changePhases(phasesPaths(site.workspace), changedBy(site), make);
  return changed.type === 'ok' ? changed : error(phasesProblem(changed.error));
}

/** As recorded in the history. */
export function changedBy({ asker }: Pick<Site, 'asker'>): ChangedBy {
  return asker === 'agent' ? 'mcp' : 'command';
}

function now(site: Site): string {
  return site.now().toISOString();
}
