import fs from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseJsonObject } from '../../model/json.ts';
import { error, ok } from '../../model/result.ts';
import { activeOf, nextOf, type PhasesDocument } from '../../phases/document.ts';
import { archivePhases, changePhases } from '../../phases/files/change-document.ts';
import { reconcile } from '../../phases/hook/reconcile.ts';
import { type PhasesPaths, phasesPaths } from '../../phases/layout.ts';
import {
  type Change,
  type Changing,
  completePhase,
  failPhase,
  findPhase,
  retryPhase,
  startNext,
  startPhase,
} from '../../phases/transitions.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { type JsonFlag, phaseLine, refuse, tellKept, tellPhase, tellProblem } from './tell.ts';

export async function start(
  context: CliContext,
  phase: string | undefined,
  flags: JsonFlag,
): Promise<number> {
  return change(context, { phase, flags }, (document) => {
    const id = phase ?? nextOf(document.phases)?.id;
    if (id === undefined) return error({ message: 'there is no phase left to begin' });
    return startPhase(document, id, { at: now() });
  });
}

export async function complete(
  context: CliContext,
  phase: string,
  flags: JsonFlag & { readonly deliverable?: readonly string[]; readonly context?: string },
): Promise<number> {
  const { deliverable: deliverables = [], context: forNext = '' } = flags;
  return change(context, { phase, flags }, (document) =>
    completePhase(document, phase, { at: now(), deliverables, context: forNext }),
  );
}

export async function fail(
  context: CliContext,
  phase: string,
  flags: JsonFlag & { readonly error?: string },
): Promise<number> {
  return change(context, { phase, flags }, (document) =>
    failPhase(document, phase, { at: now(), error: flags.error ?? 'no reason given' }),
  );
}

export async function next(context: CliContext, flags: JsonFlag): Promise<number> {
  const changed = await changePhases(phasesPaths(context.workspace), 'command', (document) =>
    document.status === 'completed' ? ok({ document, changes: [] }) : startNext(document, { at: now() }),
  );
  if (changed.type === 'error') return tellProblem(context, changed.error);
  tellKept(context, changed.value);
  const active = activeOf(changed.value.document.phases);
  if (active === undefined) {
    context.err('all phases are completed\n');
    return EXIT.failed;
  }
  tellPhase(context, active, flags);
  return EXIT.done;
}

export async function retry(context: CliContext, phase: string, flags: JsonFlag): Promise<number> {
  return change(context, { phase, flags }, (document) => retryPhase(document, phase, { at: now() }));
}

export async function archive(context: CliContext): Promise<number> {
  const archived = await archivePhases(phasesPaths(context.workspace), 'command');
  if (archived.type === 'error') return tellProblem(context, archived.error);
  tellKept(context, archived.value);
  context.out(`${relative(context.workspace, archived.value.path)}\n`);
  return EXIT.done;
}

export async function reconcileNow(
  context: CliContext,
  flags: JsonFlag & { readonly transcript?: string },
): Promise<number> {
  const { workspace } = context;
  const paths = phasesPaths(workspace);
  const given = flags.transcript;
  const transcriptPath = given === undefined ? knownTranscript(paths) : resolve(workspace, given);
  if (given !== undefined && !fs.existsSync(transcriptPath ?? ''))
    return refuse(context, `there is no file \`${given}\``);
  const changed = await changePhases(paths, 'reconcile', (document) =>
    ok(
      transcriptPath === undefined
        ? { document, changes: [] }
        : reconcile(document, { transcriptPath, workspace }),
    ),
  );
  if (changed.type === 'error') return tellProblem(context, changed.error);
  tellKept(context, changed.value);
  const { changes } = changed.value;
  if (flags.json === true) context.out(`${JSON.stringify(changes, null, 2)}\n`);
  else if (changes.length === 0) context.err('nothing was missed\n');
  else context.out(changes.map((each) => `${changeLine(each)}\n`).join(''));
  return EXIT.done;
}

/** The transcript that a hook named last. */
export function knownTranscript(paths: PhasesPaths): string | undefined {
  try {
    const path = parseJsonObject(readPlainText(paths.session))?.['transcript_path'];
    return typeof path === 'string' ? path : undefined;
  } catch {
    return undefined;
  }
}

export function changeLine({ phase, from, to }: Change): string {
  return `${phase}: ${from} → ${to}`;
}

async function change(
  context: CliContext,
  asked: { readonly phase: string | undefined; readonly flags: JsonFlag },
  make: (document: PhasesDocument) => Changing,
): Promise<number> {
  const changed = await changePhases(phasesPaths(context.workspace), 'command', make);
  if (changed.type === 'error') return tellProblem(context, changed.error);
  tellKept(context, changed.value);
  const { document, changes } = changed.value;
  const found = findPhase(document, asked.phase ?? changes[0]?.phase ?? '');
  if (found.type === 'ok') tellPhase(context, found.value, asked.flags);
  const after = activeOf(document.phases);
  if (after !== undefined && found.type === 'ok' && after.id !== found.value.id)
    context.err(`now: ${phaseLine(after)}\n`);
  return EXIT.done;
}

function now(): string {
  return new Date().toISOString();
}
