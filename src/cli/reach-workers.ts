/** The runs of workers, for commands that read runs. Nothing is loaded in a workspace that has none. */
import { typedCommand } from '../model/typed-command.ts';
import { hasEngineConfig } from '../operations/config/places.ts';
import { describeProblem } from '../operations/describe-problem.ts';
import type { Problem } from '../operations/problem.ts';
import { findRun } from '../operations/runs/find-run.ts';
import { isRunOfWorkers } from '../operations/runs/of-workers.ts';
import type { Site } from '../operations/site.ts';
import type { Workers } from '../operations/workers.ts';
import type { CliContext } from './context.ts';
import { siteOf } from './site.ts';

const USUAL_VARIABLE = 'ORCHESTRATE_DATABASE_URL';

/** The site with the workers that its workspace uses, up to date for the run that is asked for; without one, for all. */
export async function siteWithWorkers(context: CliContext, asked?: string): Promise<Site> {
  const site = siteOf(context);
  const workers = await workersOf(context, site, (problem) => sayUnread(context, site, { asked, problem }));
  if (workers === undefined) return site;
  try {
    await workers.runs.refresh(asked);
    return siteOf(context, workers);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    sayUnread(context, site, {
      asked,
      problem: { type: 'unreachable-database', variable: USUAL_VARIABLE, reason },
    });
    return site;
  }
}

/** A folder without the file and the variable has nothing to do with workers. */
export function mayUseWorkers({ workspace, environment }: Pick<Site, 'workspace' | 'environment'>): boolean {
  return hasEngineConfig(workspace) || (environment[USUAL_VARIABLE] ?? '') !== '';
}

/** Undefined if the workspace uses none, or if they cannot be reached: `onProblem` gets the reason. */
export async function workersOf(
  context: CliContext,
  site: Site,
  onProblem: (problem: Problem) => void,
): Promise<Workers | undefined> {
  if (!mayUseWorkers(site)) return undefined;
  const { engineSettings } = await import('../operations/config/engine-settings.ts');
  const settings = engineSettings(site);
  if (settings.type === 'error') {
    onProblem(settings.error);
    return undefined;
  }
  if ((site.environment[settings.value.databaseEnv] ?? '') === '') return undefined;
  const { createWorkers } = await import('../cluster/reading/workers.ts');
  const { workspace, environment } = site;
  const workers = createWorkers({ settings: settings.value, environment, dist: context.dist, workspace });
  if (workers.type === 'ok') return workers.value;
  onProblem(workers.error);
  return undefined;
}

/** Says nothing if the run that was asked for is one of this folder without workers. */
function sayUnread(
  context: CliContext,
  site: Site,
  { asked, problem }: { readonly asked: string | undefined; readonly problem: Problem },
): void {
  const isLocal =
    asked !== undefined &&
    asked !== 'last' &&
    findRun(site, asked).type === 'ok' &&
    !isRunOfWorkers(site, asked);
  if (isLocal) return;
  const why =
    problem.type === 'not-trusted'
      ? `\`.orchestrate/engine.yaml\` is not trusted yet (${typedCommand('workers --trust')})`
      : describeProblem(problem).message;
  context.err(`note: runs of workers are not shown: ${why}\n`);
}
