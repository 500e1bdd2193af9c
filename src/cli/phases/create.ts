import {
  createPhases,
  mayPlanPhases,
  type PhasePlan,
  readPhasesFile,
} from '../../operations/phases/create-phases.ts';
import { plannedPhases, planPhases } from '../../operations/phases/plan-phases.ts';

import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import type { OutputOptions, TrustOption } from '../run-options.ts';
import { carryOutHere } from '../running/carry-out.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';
import { phaseLine, reportKept } from './print.ts';

interface CreateFlags extends OutputOptions, TrustOption {
  readonly phase?: readonly string[];
  readonly file?: string;
  readonly plan?: boolean;
  readonly agent: string;
  readonly archive?: boolean;
}

export async function create(context: CliContext, task: string, flags: CreateFlags): Promise<number> {
  const site = siteOf(context);
  const asked = { task, archives: flags.archive === true };
  const may = flags.plan === true ? mayPlanPhases(site, asked) : undefined;
  if (may?.type === 'error') return refuse(context, may.error);
  const phases = await phasesFrom(context, task, flags);
  if (typeof phases === 'number') return phases;
  const created = await createPhases(site, { ...asked, phases });
  if (created.type === 'error') return refuse(context, created.error);
  const { document } = created.value;
  reportKept(context, created.value);
  if (flags.json === true && flags.plan !== true) context.out(`${JSON.stringify(document, null, 2)}\n`);
  else if (flags.json !== true) context.out(`${document.id}\n`);
  if (flags.quiet !== true && flags.json !== true)
    context.err(document.phases.map((phase) => `${phaseLine(phase)}\n`).join(''));
  return EXIT.done;
}

/** A number is the exit code if there are no phases; the problem has been printed. */
async function phasesFrom(
  context: CliContext,
  task: string,
  flags: CreateFlags,
): Promise<readonly PhasePlan[] | number> {
  const { phase, file, plan } = flags;
  if ([phase, file, plan].filter((source) => source !== undefined).length !== 1)
    return refuse(context, { type: 'phases-from-one-source' });
  if (phase !== undefined) return phase.map(parsePhase);
  const found =
    file === undefined ? await planByAgent(context, task, flags) : readPhasesFile(siteOf(context), file);
  if (typeof found === 'number') return found;
  return found.type === 'ok' ? found.value : refuse(context, found.error);
}

/** A number is the exit code if the run ended without an answer. */
async function planByAgent(context: CliContext, task: string, flags: CreateFlags) {
  const prepared = await withTrust(context, flags, () =>
    planPhases(siteOf(context), { task, agent: flags.agent }),
  );
  if (prepared === 'not-trusted') return EXIT.usage;
  if (prepared.type === 'error') return prepared;
  const { exitCode, end } = await carryOutHere(context, prepared.value, { output: flags });
  return exitCode === EXIT.done ? plannedPhases(end?.output) : exitCode;
}

/** `Title::agent` */
function parsePhase(text: string): PhasePlan {
  const at = text.lastIndexOf('::');
  return at === -1
    ? { title: text.trim(), agent: '' }
    : { title: text.slice(0, at).trim(), agent: text.slice(at + 2).trim() };
}
