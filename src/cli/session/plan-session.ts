import { ok, type Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import { importTasks } from '../../operations/sessions/plan/import-tasks.ts';
import { listGitHubIssues, requestOfIssues } from '../../operations/sessions/plan/issues.ts';
import {
  type PlanPrepared,
  planDivision,
  plannedTasks,
  planTasks,
} from '../../operations/sessions/plan/plan-tasks.ts';
import { renderDiagnostics } from '../../report/render-diagnostic.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import type { EngineOption, OutputOptions } from '../run-options.ts';
import { carryOutHere } from '../running/carry-out.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';
import { type AgentFlags, sessionAgent } from './agent-options.ts';
import { readGiven } from './read-given.ts';
import { sayChanged } from './say-changed.ts';

export interface PlanFlags extends OutputOptions, EngineOption, AgentFlags {
  readonly session?: string;
  readonly file?: string;
  readonly issue?: string;
  readonly issues?: string;
  readonly from?: string;
}

export async function planSession(
  context: CliContext,
  words: string | undefined,
  flags: PlanFlags,
): Promise<number> {
  const { file, issue, issues, from, session } = flags;
  const sources = [words, file, issue, issues, from].filter((source) => source !== undefined);
  if (sources.length !== 1) return refuse(context, { type: 'plan-from-one-source' });
  if (from !== undefined) return importFrom(context, from, flags);
  const given = words === undefined ? await readSource(context, file ?? issue ?? issues ?? '-') : ok(words);
  const request = given.type === 'ok' && issues !== undefined ? requestOfIssues(given.value) : given;
  if (request.type === 'error') return refuse(context, request.error);
  return planWithAgent(context, flags, () =>
    planTasks(siteOf(context), { ...sessionAgent(flags), session, request: request.value }),
  );
}

/** `gh:` asks the GitHub CLI for the open issues; `gh:label` for those with this label. */
async function readSource(context: CliContext, source: string): Promise<Result<string, Problem>> {
  // A relative path would have been translated to the folder of the workspace.
  const [, label] = /(?:^|\/)gh:([^/]*)$/.exec(source) ?? [];
  return label === undefined ? readGiven(context, source) : listGitHubIssues(siteOf(context), label);
}

export function divideWithAgent(context: CliContext, task: string, flags: PlanFlags): Promise<number> {
  const { session } = flags;
  return planWithAgent(context, flags, () =>
    planDivision(siteOf(context), { ...sessionAgent(flags), session, task }),
  );
}

type Planned = Prepared & Partial<Pick<PlanPrepared, 'session' | 'isNewSession'>>;

/** Prints the ids of the new tasks, one per line. */
async function planWithAgent(
  context: CliContext,
  flags: PlanFlags,
  prepare: () => Result<Planned, Problem> | Promise<Result<Planned, Problem>>,
): Promise<number> {
  const prepared = await withTrust(context, flags, prepare);
  if (prepared === 'not-trusted') return EXIT.usage;
  if (prepared.type === 'error') return refuse(context, prepared.error);
  sayStarted(context, prepared.value);
  const { exitCode, end } = await carryOutHere(context, prepared.value, { output: flags });
  if (flags.json !== true)
    context.out(
      plannedTasks(end?.output)
        .map((id) => `${id}\n`)
        .join(''),
    );
  return exitCode;
}

async function importFrom(context: CliContext, path: string, flags: PlanFlags): Promise<number> {
  const text = await readGiven(context, path);
  if (text.type === 'error') return refuse(context, text.error);
  const file = { path, text: text.value };
  const imported = await importTasks(siteOf(context), { session: flags.session, file });
  if (imported.type === 'error') return refuse(context, imported.error);
  const { ids, warnings } = imported.value;
  if (warnings.length > 0) context.err(renderDiagnostics(warnings, { color: context.color.stderr }));
  sayStarted(context, imported.value);
  sayChanged(context, imported.value);
  context.out(flags.json === true ? `${JSON.stringify(ids)}\n` : ids.map((id) => `${id}\n`).join(''));
  return EXIT.done;
}

function sayStarted(
  context: CliContext,
  { session, isNewSession }: Pick<Planned, 'session' | 'isNewSession'>,
): void {
  if (isNewSession === true) context.err(`no session was active: started \`${session}\`\n`);
}
