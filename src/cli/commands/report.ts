import { type Command, Option } from 'commander';
import { writeReport } from '../../operations/runs/write-report.ts';
import { type ReportFormat, renderReport } from '../../report/render-report.ts';
import type { CliContext } from '../context.ts';
import { path } from '../path-argument.ts';
import { readRunHere } from '../read-run.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

interface ReportFlags {
  readonly format?: ReportFormat;
  readonly output?: string;
}

const FORMATS: readonly ReportFormat[] = ['md', 'html', 'json'];

export function define(command: Command, context: CliContext): void {
  command
    .argument('[run]', 'run id, unique prefix of one, or `last`', 'last')
    .addOption(
      new Option(
        '--format <format>',
        'report format (default: by the extension of the output file, or md)',
      ).choices(FORMATS),
    )
    .option('-o, --output <file>', 'write the report to a file instead of printing it', path)
    .addHelpText('after', '\nExample:\n  orchestrate report last --output report.html')
    .action((text: string, flags: ReportFlags) => report(context, text, flags));
}

function report(context: CliContext, text: string, flags: ReportFlags): void {
  const run = readRunHere(context, text);
  if (run === undefined) return;
  const { state, events, isAlive } = run;
  const rendered = renderReport({ state, events, isAlive, now: Date.now() }, formatOf(flags));
  if (flags.output === undefined || flags.output === '-') {
    context.out(rendered);
    return;
  }
  const written = writeReport(siteOf(context), { file: flags.output, text: rendered });
  if (written.type === 'error') refuse(context, written.error);
  else context.err(`wrote ${flags.output}\n`);
}

function formatOf(flags: ReportFlags): ReportFormat {
  return flags.format ?? FORMATS.find((format) => flags.output?.endsWith(`.${format}`) === true) ?? 'md';
}
