/** What every sub-command of iterate begins with, and how it asks an operation. */
import { isAbsolute, relative } from 'node:path';
import type { Result } from '../../model/result.ts';
import { readSetting } from '../../operations/loops/read-config.ts';
import type { LoopSettings } from '../../operations/loops/site/loops.ts';
import { type Problem, refused } from '../../operations/problem.ts';
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

/** Undefined: it was refused, and why has been said. */
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

/** For what is started: what is trusted is not told where the settings of the loop want nothing said. */
export function trustFlags({ site, settings, trust }: IterateCommand, workspace: string): TrustOption {
  if (!trust) return {};
  const level = readSetting(site, { settings, workspace, key: 'outputLevel' });
  return { trust, quiet: level.type === 'ok' && level.value.value === 'quiet' };
}

/** Before something is removed. */
export async function isSure(
  { context }: IterateCommand,
  flags: { readonly force?: boolean },
  question: string,
): Promise<boolean> {
  if (flags.force === true) return true;
  const { confirm } = await import('../confirm.ts');
  const agreed = await confirm(question);
  if (agreed === undefined)
    refuse(context, refused('invalid', 'Nothing was removed: nobody can be asked.', 'use --force'));
  if (agreed === false) context.err('Nothing was removed.\n');
  return agreed === true;
}

/** What the user sets with a command needs no question; where that could not be written down, it is said. */
export function sayTrustProblem({ context }: IterateCommand, problem: string | undefined): void {
  if (problem !== undefined) context.err(`warning: you will be asked about this setting: ${problem}\n`);
}

/** Inside the project by its relative path. */
export function shownPath({ workspace }: Pick<Site, 'workspace'>, path: string): string {
  const inside = relative(workspace, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}
