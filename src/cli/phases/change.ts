import { defined } from '../../model/defined.ts';
import type { Result } from '../../model/result.ts';
import { archivePhases } from '../../operations/phases/archive-phases.ts';
import {
  completePhase,
  failPhase,
  nextPhase,
  type PhaseChanged,
  reopenPhase,
  retryPhase,
  startPhase,
} from '../../operations/phases/change-phase.ts';
import { type Change, reconcilePhases } from '../../operations/phases/reconcile-phases.ts';
import type { Problem } from '../../operations/problem.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';
import { type JsonFlag, phaseLine, printHandedOver, printPhase, reportKept } from './print.ts';

export async function start(
  context: CliContext,
  phase: string | undefined,
  flags: JsonFlag,
): Promise<number> {
  const asked = phase === undefined ? {} : { phase };
  return printChange(context, await startPhase(siteOf(context), asked), flags);
}

export async function complete(
  context: CliContext,
  phase: string,
  flags: JsonFlag & {
    readonly deliverable?: readonly string[];
    readonly contextForNext?: string;
    readonly context?: string;
  },
): Promise<number> {
  const { deliverable: deliverables = [], contextForNext, context: forNext = contextForNext ?? '' } = flags;
  const asked = { phase, deliverables, context: forNext };
  return printChange(context, await completePhase(siteOf(context), asked), flags);
}

export async function fail(
  context: CliContext,
  phase: string,
  flags: JsonFlag & { readonly error?: string },
): Promise<number> {
  const asked = { phase, ...defined({ error: flags.error }) };
  return printChange(context, await failPhase(siteOf(context), asked), flags);
}

export async function next(context: CliContext, flags: JsonFlag): Promise<number> {
  const found = await nextPhase(siteOf(context));
  if (found.type === 'error') return refuse(context, found.error);
  reportKept(context, found.value);
  const { phase, previous } = found.value;
  if (phase === undefined) {
    context.err('all phases are completed\n');
    return EXIT.failed;
  }
  if (flags.json === true) {
    const handedOver = { context_from_previous: previous?.context_for_next ?? '' };
    context.out(`${JSON.stringify({ ...phase, ...handedOver }, null, 2)}\n`);
    return EXIT.done;
  }
  printPhase(context, phase, flags);
  printHandedOver(context, previous);
  return EXIT.done;
}

export async function retry(context: CliContext, phase: string, flags: JsonFlag): Promise<number> {
  return printChange(context, await retryPhase(siteOf(context), { phase }), flags);
}

export async function reopen(context: CliContext, phase: string, flags: JsonFlag): Promise<number> {
  return printChange(context, await reopenPhase(siteOf(context), { phase }), flags);
}

export async function archive(context: CliContext): Promise<number> {
  const archived = await archivePhases(siteOf(context));
  if (archived.type === 'error') return refuse(context, archived.error);
  reportKept(context, archived.value);
  context.out(`${archived.value.path}\n`);
  return EXIT.done;
}

export async function reconcileNow(
  context: CliContext,
  flags: JsonFlag & { readonly transcript?: string },
): Promise<number> {
  const { transcript } = flags;
  const asked = transcript === undefined ? {} : { transcript };
  const reconciled = await reconcilePhases(siteOf(context), asked);
  if (reconciled.type === 'error') return refuse(context, reconciled.error);
  reportKept(context, reconciled.value);
  const { changes } = reconciled.value;
  if (flags.json === true) context.out(`${JSON.stringify(changes, null, 2)}\n`);
  else if (changes.length === 0) context.err('hooks missed nothing\n');
  else context.out(changes.map((each) => `${changeLine(each)}\n`).join(''));
  return EXIT.done;
}

export function changeLine({ phase, from, to }: Change): string {
  return `${phase}: ${from} → ${to}`;
}

function printChange(context: CliContext, changed: Result<PhaseChanged, Problem>, flags: JsonFlag): number {
  if (changed.type === 'error') return refuse(context, changed.error);
  const { phase, active } = changed.value;
  reportKept(context, changed.value);
  printPhase(context, phase, flags);
  if (active !== undefined) context.err(`now: ${phaseLine(active)}\n`);
  return EXIT.done;
}
