import type { Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import { mayRun } from '../../operations/trust/may-run.ts';
import { trustOwn } from '../../operations/trust/trust-own.ts';
import type { Claim } from '../../operations/trust-book.ts';
import type { CliContext } from '../context.ts';
import type { TrustOption } from '../run-options.ts';
import { siteOf } from '../site.ts';

/**
 * Asks the user whenever the operation finds something that is not trusted yet. `not-trusted`: the answer was no or there is no terminal
 * to ask on. The reason has been printed, and nothing has run.
 */
export async function withTrust<Value>(
  context: CliContext,
  flags: TrustOption,
  attempt: () => Result<Value, Problem> | Promise<Result<Value, Problem>>,
): Promise<Result<Value, Problem> | 'not-trusted'> {
  for (;;) {
    const result = await attempt();
    if (result.type === 'ok' || result.error.type !== 'not-trusted') return result;
    const { agrees } = await import('./ask.ts');
    if (!(await agrees(context, result.error, flags))) return 'not-trusted';
  }
}

/** False if it must not run; the reason has been printed. */
export async function isAllowed(
  context: CliContext,
  {
    folder,
    claims,
    flags,
  }: { readonly folder: string; readonly claims: readonly Claim[]; readonly flags: TrustOption },
): Promise<boolean> {
  return (await withTrust(context, flags, () => mayRun(siteOf(context), folder, claims))) !== 'not-trusted';
}

/** Trusts a setting that the user made with a command, if everything else there is trusted. */
export async function vouch(
  context: CliContext,
  own: { readonly folder: string; readonly before: readonly Claim[]; readonly after: readonly Claim[] },
): Promise<void> {
  const problem = await trustOwn(siteOf(context), own);
  if (problem !== undefined)
    context.err(`warning: the next run asks whether to trust this setting: ${problem}\n`);
}
