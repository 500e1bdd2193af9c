import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { PhasesAgent } from '../../operations/phases/agent-settings.ts';
import { runPhases } from '../../operations/phases/run-phases.ts';
import type { Problem } from '../../operations/problem.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import type { EngineOption, OutputOptions, TrustOption } from '../run-options.ts';
import { carryOutHere } from '../running/carry-out.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';

interface RunFlags extends OutputOptions, TrustOption, EngineOption {
  readonly agent: string;
  readonly model?: string;
  readonly permissions?: string;
  readonly retries?: string;
  readonly timeout?: string;
}

export async function run(context: CliContext, flags: RunFlags): Promise<number> {
  const asked = parseFlags(flags);
  if (asked.type === 'error') return refuse(context, asked.error);
  const prepared = await withTrust(context, flags, () => runPhases(siteOf(context), asked.value));
  if (prepared === 'not-trusted') return EXIT.usage;
  if (prepared.type === 'error') return refuse(context, prepared.error);
  const phasesRun = prepared.value;
  switch (phasesRun.type) {
    case 'completed':
      context.err('all phases are already completed: nothing to do\n');
      return EXIT.done;
    case 'left':
      if (flags.quiet !== true)
        context.err(`resuming run ${phasesRun.plan.runId} with the options it was started with\n`);
      break;
    case 'new':
      if (phasesRun.unreadable !== undefined) refuse(context, phasesRun.unreadable);
      for (const name of phasesRun.missingRoles)
        context.err(`warning: role file \`${name}.md\` not found; the agent works without it\n`);
      break;
    default:
      return unreachable(phasesRun);
  }
  return (await carryOutHere(context, phasesRun, { output: flags })).exitCode;
}

function parseFlags(flags: RunFlags): Result<PhasesAgent, Problem> {
  const { agent, model, permissions = 'default', retries = '2', timeout } = flags;
  if (permissions !== 'default' && permissions !== 'bypass')
    return error({ type: 'invalid-permissions', given: permissions });
  if (!/^\d{1,3}$/.test(retries)) return error({ type: 'invalid-retries' });
  if (timeout !== undefined && !/^[1-9]\d{0,7}$/.test(timeout)) return error({ type: 'invalid-timeout' });
  return ok({
    ...{ agent, permissions, retries: Number(retries) },
    ...defined({ model }),
    ...(timeout === undefined ? {} : { timeoutMs: Number(timeout) * 1000 }),
  });
}
