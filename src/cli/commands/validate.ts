import type { Command } from 'commander';
import { defined } from '../../model/defined.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { hasErrors } from '../../model/diagnostic.ts';
import { positionAt } from '../../model/source.ts';
import { validateWorkflow } from '../../operations/workflows/validate-workflow.ts';
import { renderDiagnostics } from '../../report/render-diagnostic.ts';
import { printable } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { paths } from '../path-argument.ts';
import { siteOf } from '../site.ts';

export function define(command: Command, context: CliContext): void {
  command
    .argument('<file...>', 'workflow files (YAML)', paths)
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate validate workflows/*.yaml')
    .action((files: readonly string[], flags: { readonly json?: boolean }) => {
      const findings = files.map((file) => ({ file, diagnostics: validateWorkflow(siteOf(context), file) }));
      const wrong = findings.filter(({ diagnostics }) => hasErrors(diagnostics));
      if (flags.json === true) {
        context.out(`${JSON.stringify(findings.map(asJson), null, 2)}\n`);
      } else {
        for (const { file, diagnostics } of findings) {
          if (diagnostics.length > 0)
            context.err(renderDiagnostics(diagnostics, { color: context.color.stderr }));
          if (!hasErrors(diagnostics)) context.out(`${printable(file)}: ok\n`);
        }
      }
      context.exitCode = wrong.length === 0 ? EXIT.done : EXIT.usage;
    });
}

function asJson(finding: { readonly file: string; readonly diagnostics: readonly Diagnostic[] }): unknown {
  return {
    file: finding.file,
    ok: !hasErrors(finding.diagnostics),
    diagnostics: finding.diagnostics.map(({ code, severity, message, range, help }) => {
      const start = range === undefined ? undefined : positionAt(range.file, range.start);
      const end = range === undefined ? undefined : positionAt(range.file, range.end);
      return {
        code,
        severity,
        message,
        ...(start === undefined ? {} : { line: start.line, column: start.column }),
        ...(end === undefined ? {} : { end_line: end.line, end_column: end.column }),
        ...defined({ help }),
      };
    }),
  };
}
