import { hasErrors } from '../../model/diagnostic.ts';
import { positionAt } from '../../model/source.ts';
import { renderDiagnostics } from '../../report/render-diagnostic.ts';
import { checkTasks } from '../../session/check/check-tasks.ts';
import { diagnosticOf, type Finding } from '../../session/check/finding.ts';
import { jsonPathText, locateJson } from '../../session/document/locate-json.ts';
import { readTaskFiles } from '../../session/document/read-tasks.ts';
import type { Session } from '../../session/sessions.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { sessionOrTell } from './tell.ts';

export function validate(
  context: CliContext,
  flags: { readonly session?: string; readonly json?: boolean },
): void {
  const session = sessionOrTell(context, flags.session);
  if (session === undefined) return;
  const files = readTaskFiles(session.paths);
  const findings = checkTasks(files);
  const diagnostics = findings.map(diagnosticOf);
  if (flags.json === true) context.out(`${JSON.stringify(findings.map(findingJson), null, 2)}\n`);
  else if (diagnostics.length > 0)
    context.err(renderDiagnostics(diagnostics, { color: context.color.stderr }));
  if (hasErrors(diagnostics)) context.exitCode = EXIT.usage;
  else if (flags.json !== true)
    context.err(`${files.length} ${files.length === 1 ? 'task is' : 'tasks are'} valid\n`);
}

/** True: the tasks may be worked with. Otherwise everything wrong has been said. */
export function tasksAreSound(context: CliContext, session: Session): boolean {
  const diagnostics = checkTasks(readTaskFiles(session.paths)).map(diagnosticOf);
  const isSound = !hasErrors(diagnostics);
  if (!isSound) context.err(renderDiagnostics(diagnostics, { color: context.color.stderr }));
  return isSound;
}

function findingJson(finding: Finding): object {
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
    ...(finding.help === undefined ? {} : { help: finding.help }),
  };
}
