/**
 * The only file that spells paths of iterate workspaces.
 *
 *   <workspacesDir>/<name>/INSTRUCTIONS.md            the task
 *                          TODO.md                    the agent's item list
 *                          .status.json               progress reported by the agent
 *                          .metadata.json             settings, counters and status
 *                          .status-instructions.md    additional prompt text, optional
 *                          working/                   the agent's own files
 *                          reports/YYYYMMDD-HHMMSS/   what a run did: iteration-001.md, …, report.md, report.html
 *                          verification-report.md validation-report.md
 *                          iterate-YYYYMMDD-HHMMSS.log
 *                          .stop .pause               a stop or a pause was requested
 *                          .set.json                  what was changed while it runs
 *                          .lock                      the process that runs it
 *                          .written.sha256            checksums of the reports that were read
 */
import { join } from 'node:path';

export const FILES = {
  instructions: 'INSTRUCTIONS.md',
  todo: 'TODO.md',
  status: '.status.json',
  metadata: '.metadata.json',
  statusInstructions: '.status-instructions.md',
  working: 'working',
  reports: 'reports',
  validationReport: 'validation-report.md',
  stop: '.stop',
  pause: '.pause',
  set: '.set.json',
  lock: '.lock',
  written: '.written.sha256',
  /** In `reports`. */
  reportsWritten: '.reports.sha256',
} as const;

export type WorkspacePaths = { readonly [Name in keyof typeof FILES]: string } & { readonly folder: string };

const NAME = /^[a-zA-Z0-9_-]+$/;
const LONGEST_NAME = 100;

export function isWorkspaceName(text: string): boolean {
  return NAME.test(text) && text.length <= LONGEST_NAME;
}

export function workspacePaths(workspacesDir: string, name: string): WorkspacePaths {
  if (!isWorkspaceName(name)) throw new Error(`malformed workspace name \`${name}\``);
  return pathsIn(join(workspacesDir, name));
}

export function pathsIn(folder: string): WorkspacePaths {
  const entries = Object.entries(FILES).map(([name, file]) => [name, join(folder, file)]);
  return { folder, ...(Object.fromEntries(entries) as Omit<WorkspacePaths, 'folder'>) };
}

/** `iterate-20251015-142345.log`: the start time of the run, in UTC like its contents. */
export function logFileName(startedAt: string): string {
  return `iterate-${stampOf(startedAt)}.log`;
}

/** The folder of a run's reports, relative to the workspace. */
export function reportsOf(startedAt: string): string {
  return `${FILES.reports}/${stampOf(startedAt)}`;
}

function stampOf(startedAt: string): string {
  const digits = startedAt.replace(/\D/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}`;
}

/** `my-task-2025-10-15T14-23-45`. */
export function archiveName(workspace: string, at: Date): string {
  return `${workspace}-${at.toISOString().slice(0, 19).replaceAll(':', '-')}`;
}
