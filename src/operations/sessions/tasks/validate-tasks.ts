import { defined } from '../../../model/defined.ts';
import { type Diagnostic, hasErrors } from '../../../model/diagnostic.ts';
import type { JsonObject } from '../../../model/json.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { positionAt } from '../../../model/source.ts';
import { checkTasks } from '../../../session/check/check-tasks.ts';
import { diagnosticOf, type Finding } from '../../../session/check/finding.ts';
import { jsonPathText, locateJson } from '../../../session/document/locate-json.ts';
import { readTaskFiles } from '../../../session/document/read-tasks.ts';
import type { Session } from '../../../session/sessions/sessions.ts';
import type { InvalidFile, Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { openSession } from '../open-session.ts';

export interface ValidateTasks {
  /** Default: the active session. */
  readonly session?: string | undefined;
  /** Refuse what has a default, too. */
  readonly strict?: boolean | undefined;
}

export interface ValidatedTasks {
  readonly count: number;
  /** No errors and, if `strict`, no warnings either. */
  readonly areValid: boolean;
  readonly findings: readonly Finding[];
  /** The same findings with their source lines. */
  readonly diagnostics: readonly Diagnostic[];
}

export function validateTasks(
  site: Pick<Site, 'workspace'>,
  { session: name, strict = false }: ValidateTasks,
): Result<ValidatedTasks, Problem> {
  const session = openSession(site, name);
  if (session.type === 'error') return session;
  const files = readTaskFiles(session.value.paths);
  const findings = checkTasks(files);
  const diagnostics = findings.map(diagnosticOf);
  return ok({
    count: files.length,
    areValid: strict ? findings.length === 0 : !hasErrors(diagnostics),
    findings,
    diagnostics,
  });
}

/** Checks the tasks before they are executed or used for planning. */
export function soundTasks({ paths }: Session): Result<void, InvalidFile> {
  const diagnostics = checkTasks(readTaskFiles(paths)).map(diagnosticOf);
  return hasErrors(diagnostics) ? error({ type: 'invalid-file', diagnostics }) : ok(undefined);
}

/** Its JSON form. */
export function findingSummary(finding: Finding): JsonObject {
  const { start } = finding.offsets ?? locateJson(finding.file, finding.at);
  const { line, column } = positionAt(finding.file, start);
  return {
    code: finding.rule,
    severity: finding.severity ?? 'error',
    file: finding.file.path,
    path: jsonPathText(finding.at),
    line,
    column,
    message: finding.message,
    ...defined({ help: finding.help }),
  };
}
