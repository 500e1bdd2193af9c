/**
 * The effect `change-phases`: a run's changes to `workflow.json`. A phase started by a run carries the run's id. Repeated after a
 * crash, a change that was already made is left as it is.
 */

import type { ChangePhasesInput, ChangePhasesOutput } from '../../effects/change-phases.ts';
import type { Effect } from '../../engine/durable.ts';
import { adviceText } from '../../model/advice.ts';
import type { Failure } from '../../model/failure.ts';
import { howToType } from '../../model/how-to-type.ts';
import { parseRunId } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import { keptText } from '../../model/kept-file.ts';
import { error, ok } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import { runPaths } from '../../store/layout.ts';
import { isHeld, readLock } from '../../store/lock-file.ts';
import { activeOf, failedOf, type Phase, type PhasesDocument, settled } from '../document.ts';
import type { PhasesProblem } from '../files/alone.ts';
import { changePhases } from '../files/change-document.ts';
import { phasesPaths } from '../layout.ts';
import { documentRefusal, isRefusal, refusalWords } from '../refusals.ts';
import { type Changing, completePhase, failPhase, retryPhase, startNext } from '../transitions.ts';

export const changePhasesEffect: Effect<ChangePhasesInput, ChangePhasesOutput> = async (
  input,
  { run, emit },
) => {
  const changed = await changePhases(phasesPaths(run.workspace), 'run', (document) => {
    switch (input.type) {
      case 'begin':
        return begin(document, run);
      case 'complete':
        return once(document, { ...input, to: 'completed' }, () =>
          completePhase(document, input.phase, {
            ...{ at: new Date().toISOString(), deliverables: input.deliverables, context: input.context },
            fromPending: true,
          }),
        );
      case 'fail':
        return once(document, { ...input, to: 'failed' }, () =>
          failPhase(document, input.phase, {
            at: new Date().toISOString(),
            error: input.error,
            fromPending: true,
          }),
        );
      default:
        return unreachable(input);
    }
  });
  if (changed.type === 'error') return { failure: failureOf(changed.error) };
  for (const kept of changed.value.kept) emit({ type: 'message', text: keptText(kept) });
  return { document: changed.value.document as unknown as JsonObject };
};

interface Driver {
  readonly runId: string;
  readonly workspace: string;
}

/** Continues the active phase, retries the run's own failed phase, or starts the next one. */
function begin(document: PhasesDocument, run: Driver): Changing {
  const doing = { at: new Date().toISOString(), runId: run.runId };
  const active = activeOf(document.phases);
  if (active !== undefined) {
    const other = otherDriver(active, run);
    if (other !== undefined) return error({ type: 'phase-of-other-run', phase: active.id, runId: other });
    if (active.run_id === run.runId) return ok({ document, changes: [] });
    const phases = document.phases.map((phase) =>
      phase.id === active.id ? { ...phase, run_id: run.runId } : phase,
    );
    return ok({ document: settled(document, phases), changes: [] });
  }
  const failed = failedOf(document.phases);
  if (failed?.run_id === run.runId) return retryPhase(document, failed.id, doing);
  if (document.phases.every(({ status }) => status === 'completed')) return ok({ document, changes: [] });
  return startNext(document, doing);
}

/** The live run that is working on the phase. */
function otherDriver({ run_id }: Phase, run: Driver): string | undefined {
  const runId = parseRunId(run_id ?? '');
  if (runId === undefined || runId === run.runId) return undefined;
  const lock = readLock(runPaths(run.workspace, runId).lock);
  return lock !== undefined && isHeld(lock) ? runId : undefined;
}

function once(
  document: PhasesDocument,
  { phase, to }: { readonly phase: string; readonly to: string },
  change: () => Changing,
): Changing {
  const isDone = document.phases.some(({ id, status }) => id === phase && status === to);
  return isDone ? ok({ document, changes: [] }) : change();
}

function failureOf(problem: PhasesProblem): Failure {
  if (problem.type === 'file-error')
    return { type: 'file', operation: 'update', path: problem.path, code: problem.code };
  const { message, help } = refusalWords(isRefusal(problem) ? problem : documentRefusal(problem));
  return {
    type: 'gave-up',
    reason: help === undefined ? message : `${message}; ${adviceText(help, howToType)}`,
  };
}
