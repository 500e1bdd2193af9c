/** What every subcommand of iterate starts with, and how it calls an operation. */
import { isAbsolute, relative } from 'node:path';
import type { Result } from '../../model/result.ts';
import { readSetting } from '../../operations/loops/read-config.ts';
import type { LoopSettings } from '../../operations/loops/site/loops.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Site } from '../../operations/site.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import type { TrustOption } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';

export interface GlobalFlags extends LoopSettings {
  readonly verbose?: boolean;
  readonly trust?: boolean;
}

export interface IterateCommand {
  readonly context: CliContext;
  readonly site: Site;
  readonly settings: LoopSettings;
  /** `--trust`. */
  readonly trust: boolean;
}

export function iterateCommand(context: CliContext, flags: GlobalFlags): IterateCommand {
  const { workspacesDir, templatesDir, archiveDir, colors } = flags;
  const settings = { workspacesDir, templatesDir, archiveDir, ...(colors === false ? { colors } : {}) };
  return { context, site: siteOf(context), settings, trust: flags.trust === true };
}

/** Undefined if it was refused; the problem has been printed. */
export async function answerOf<Value>(
  { context, trust }: IterateCommand,
  operation: () => Result<Value, Problem> | Promise<Result<Value, Problem>>,
  flags: TrustOption = { trust },
): Promise<Value | undefined> {
  const answer = await withTrust(context, flags, operation);
  if (answer !== 'not-trusted' && answer.type === 'ok') return answer.value;
  if (answer === 'not-trusted') context.exitCode = EXIT.usage;
  else refuse(context, answer.error);
  return undefined;
}

/** For commands that start something: at level `quiet`, trusted settings are not printed. */
export function trustFlags({ site, settings, trust }: IterateCommand, workspace: string): TrustOption {
  if (!trust) return {};
  const level = readSetting(site, { settings, workspace, key: 'outputLevel' });
  return { trust, quiet: level.type === 'ok' && level.value.value === 'quiet' };
}

/** Asks before something is removed. */
export async function isSure(
  { context }: IterateCommand,
  flags: { readonly force?: boolean },
  question: string,
): Promise<boolean> {
  if (flags.force === true) return true;
  const { confirm } = await import('../confirm.ts');
  const agreed = await confirm(question);
  if (agreed === undefined) refuse(context, { type: 'nothing-removed' });
  if (agreed === false) context.err('Nothing was removed.\n');
  return agreed === true;
}

/** A setting the user makes with a command is trusted; warns if that could not be recorded. */
export function sayTrustProblem({ context }: IterateCommand, problem: string | undefined): void {
  if (problem !== undefined)
    context.err(`warning: the next run asks whether to trust this setting: ${problem}\n`);
}

/** Relative to the project if inside it. */
export function shownPath({ workspace }: Pick<Site, 'workspace'>, path: string): string {
  const inside = relative(workspace, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}
