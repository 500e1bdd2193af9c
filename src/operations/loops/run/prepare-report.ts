/** A run in which an agent reviews the instructions or the work and writes a report. */
import { dirname, join, resolve } from 'node:path';
import { VALIDATE_PROGRAM, VERIFY_PROGRAM } from '../../../iterate/input.ts';
import { DEPTHS, type Depth, type OutputLevel } from '../../../iterate/mode.ts';
import type { JsonValue } from '../../../model/json.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { errnoOf } from '../../../store/errno.ts';
import { makeFolder } from '../../../store/make-folder.ts';
import { portablePath } from '../../../store/portable-path.ts';
import type { Problem } from '../../problem.ts';
import type { Prepared } from '../../run-plan.ts';
import { newRunId } from '../../runs/run-ids.ts';
import type { Site } from '../../site.ts';
import { openLoop } from '../site/find-loop.ts';
import type { OfLoop } from '../site/loops.ts';
import { taskInput, type WithAgent } from './loop-input.ts';
import { openTask, type Task } from './task.ts';

export { parseVerificationReport as readVerification } from '../../../iterate/verification/verification-report.ts';

export interface ReportOnLoop extends OfLoop, WithAgent {
  /** `verify` checks the work against the instructions, `validate` the instructions themselves. */
  readonly purpose: 'verify' | 'validate';
  /** For `verify`. */
  readonly depth?: string | undefined;
  readonly reportPath?: string | undefined;
}

export interface PreparedReport extends Prepared {
  /** Absolute path. The run's output also has the report as `text`. */
  readonly reportPath: string;
  /** How much output to show, by the settings. */
  readonly level: OutputLevel;
  readonly colors: boolean;
}

export function prepareReport(site: Site, asked: ReportOnLoop): Result<PreparedReport, Problem> {
  const { name, purpose, depth } = asked;
  if (depth !== undefined && !DEPTHS.includes(depth as Depth)) return error({ type: 'invalid-depth', depth });
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { workspace } = opened.value;
  const { agent, isDry, skipsPermissions } = asked;
  const task = openTask(site, workspace, { agent, isDry, skipsPermissions });
  if (task.type === 'error') return task;
  const { config } = task.value;
  const reportPath = pathFor(site, task.value, asked);
  const unmade = unmadeFolder(dirname(reportPath));
  if (unmade !== undefined) return error(unmade);
  const runId = newRunId(site.workspace);
  const input = {
    ...taskInput({ ...task.value, runId }),
    reportPath: portablePath(site.workspace, reportPath),
    depth: depth ?? config.get<Depth>('verification.depth'),
  };
  const folder = input.workspacePath;
  return ok({
    plan: {
      runId,
      workspace: site.workspace,
      kind: 'iterate',
      title: name,
      begin: {
        type: 'new',
        program: purpose === 'verify' ? VERIFY_PROGRAM : VALIDATE_PROGRAM,
        input: input as unknown as JsonValue,
        facts: { iterate_workspace: folder },
      },
      secrets: [],
      hold: { type: 'loop', name, folder, purpose: 'report' },
    },
    reportPath,
    level: config.get<OutputLevel>('outputLevel'),
    colors: config.get<boolean>('colors'),
  });
}

function pathFor(site: Site, { workspace, config }: Task, { purpose, reportPath }: ReportOnLoop): string {
  if (purpose === 'validate') return workspace.paths.validationReport;
  return reportPath === undefined
    ? join(workspace.paths.folder, config.get<string>('verification.reportFilename'))
    : resolve(site.workspace, reportPath);
}

function unmadeFolder(folder: string): Problem | undefined {
  try {
    makeFolder(folder);
    return undefined;
  } catch (cause) {
    return { type: 'cannot-create-folder', file: folder, code: errnoOf(cause) };
  }
}
