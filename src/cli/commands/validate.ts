import { type Command, Option } from 'commander';
import { hasErrors } from '../../model/diagnostic.ts';
import { unreachable } from '../../model/unreachable.ts';
import { validateFile } from '../../operations/starting/validate-file.ts';
import { type Finding, renderFindingsJson } from '../../report/diagnostics/findings.ts';
import { renderGithub } from '../../report/diagnostics/github.ts';
import { renderSarif } from '../../report/diagnostics/sarif.ts';
import { renderDiagnostics } from '../../report/render-diagnostic.ts';
import { printable } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { paths } from '../path-argument.ts';
import { siteOf } from '../site.ts';
import { versionOf } from '../version.ts';

const FORMATS = ['text', 'json', 'sarif', 'github'] as const;

interface ValidateFlags {
  readonly format: (typeof FORMATS)[number];
  readonly json?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command
    .argument(
      '<file...>',
      'workflow files (YAML), or files with settings: `config.yaml` and `engine.yaml` in `.orchestrate`',
      paths,
    )
    .addOption(
      new Option('--format <format>', 'format of the findings; `github`: annotations for GitHub Actions')
        .choices(FORMATS)
        .default('text'),
    )
    .addOption(new Option('--json', 'same as --format json').conflicts('format'))
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate validate workflows/*.yaml\n  orchestrate validate workflows/*.yaml --format sarif > findings.sarif',
    )
    .action(async (files: readonly string[], flags: ValidateFlags) => {
      const findings: Finding[] = [];
      for (const file of files)
        findings.push({ file, diagnostics: await validateFile(siteOf(context), file) });
      print(context, findings, flags.json === true ? 'json' : flags.format);
      const isWrong = findings.some(({ diagnostics }) => hasErrors(diagnostics));
      context.exitCode = isWrong ? EXIT.usage : EXIT.done;
    });
}

function print(context: CliContext, findings: readonly Finding[], format: ValidateFlags['format']): void {
  switch (format) {
    case 'text':
      for (const { file, diagnostics } of findings) {
        if (diagnostics.length > 0)
          context.err(renderDiagnostics(diagnostics, { color: context.color.stderr }));
        if (!hasErrors(diagnostics)) context.out(`${printable(file)}: ok\n`);
      }
      return;
    case 'json':
      context.out(renderFindingsJson(findings));
      return;
    case 'sarif':
      context.out(renderSarif(findings, versionOf(context)));
      return;
    case 'github':
      context.out(renderGithub(findings));
      return;
    default:
      unreachable(format);
  }
}
