/** Plans a run in which an agent works through the phases. */
import fs from 'node:fs';
import { parseRunId, type RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { activeOf, failedOf, type Phase, type PhasesDocument } from '../../phases/document.ts';
import { loadPhases } from '../../phases/files/change-document.ts';
import { PHASES_FOLDER, PHASES_VIEW, phasesPaths } from '../../phases/layout.ts';
import { PHASES_PROGRAM, type PhasesInput } from '../../phases/run/input.ts';
import { runPaths } from '../../store/layout.ts';
import type { Problem } from '../problem.ts';
import type { Prepared, RunDocuments } from '../run-plan.ts';
import { continueLeftRun } from '../runs/continue-left-run.ts';
import { planProgram } from '../runs/plan-program.ts';
import type { Site } from '../site.ts';
import { mayStartAgents } from '../trust/agent-settings.ts';
import { agentSettings, builtinsOf, type PhasesAgent } from './agent-settings.ts';
import { phasesProblem } from './phases-problem.ts';
import { claudeFolder, rolesMissing } from './roles.ts';

export type PhasesRun =
  /** There is nothing to do. */
  | { readonly type: 'completed' }
  /** Resumes the unfinished run of the active phase. */
  | (Prepared & { readonly type: 'left' })
  | (Prepared & {
      readonly type: 'new';
      /** The names of agents without a role file. */
      readonly missingRoles: readonly string[];
      /** Why it is unknown whether the run of the active phase has ended. */
      readonly unreadable?: Problem;
    });

export function runPhases(site: Site, asked: PhasesAgent): Result<PhasesRun, Problem> {
  const { workspace } = site;
  const settings = agentSettings(asked);
  if (settings.type === 'error') return settings;
  const loaded = loadPhases(phasesPaths(workspace));
  if (loaded.type === 'error') return error(phasesProblem(loaded.error));
  const document = loaded.value;
  if (document.phases.every(({ status }) => status === 'completed')) return ok({ type: 'completed' });
  const failed = failedOf(document.phases);
  if (failed !== undefined) return error(failedProblem(failed));
  const may = mayStartAgents(site, builtinsOf(settings.value.agent));
  if (may.type === 'error') return may;
  const runId = leftRun(workspace, document);
  const left =
    runId === undefined
      ? ok({ type: 'none' } as const)
      : continueLeftRun(site, { runId, program: PHASES_PROGRAM });
  if (left.type === 'error') return left;
  if (left.value.type === 'left') return ok(left.value);
  const input: PhasesInput = { ...settings.value, workspace, claudeHome: claudeFolder(site) };
  return ok({
    type: 'new',
    missingRoles: rolesMissing(site, document),
    ...(left.value.type === 'unreadable' ? { unreadable: left.value.problem } : {}),
    plan: planProgram(site, {
      ...{ kind: 'phases', title: document.task, program: PHASES_PROGRAM, input },
      facts: { phases_workflow: document.id },
      documents: phasesDocuments(),
    }),
  });
}

/** The run that is working, or was working, on the active phase. */
function leftRun(workspace: string, { phases }: PhasesDocument): RunId | undefined {
  const runId = parseRunId(activeOf(phases)?.run_id ?? '');
  return runId !== undefined && fs.existsSync(runPaths(workspace, runId).journal) ? runId : undefined;
}

function phasesDocuments(): RunDocuments {
  return {
    folder: PHASES_FOLDER,
    files: [`${PHASES_FOLDER}/**`, PHASES_VIEW, '.claude/agents/**'],
    except: [`${PHASES_FOLDER}/*.lock*`],
  };
}

function failedProblem({ id, run_id: runId, error: reason = 'no reason given' }: Phase): Problem {
  return { type: 'phase-failed', phase: id, reason, runId };
}
