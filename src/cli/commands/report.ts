import { type Command, Option } from 'commander';
import { writeReport } from '../../operations/runs/write-report.ts';
import { REPORT_FORMATS, type ReportFormat, renderReport } from '../../report/render-report.ts';
import type { CliContext } from '../context.ts';
import { path } from '../path-argument.ts';
import { readRunWithEventsHere } from '../read-run.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

interface ReportFlags {
  readonly format?: ReportFormat;
  readonly output?: string;
}

/** Formats that are recognized by the extension of the output file. */
const EXTENSIONS: { readonly [extension: string]: ReportFormat } = {
  md: 'md',
  html: 'html',
  json: 'json',
  xml: 'junit',
};

export function define(command: Command, context: CliContext): void {
  command
    .argument('[run]', 'run id, unique prefix of one, or `last`', 'last')
    .addOption(
      new Option(
        '--format <format>',
        'report format (default: by the extension of the output file, or md)',
      ).choices(REPORT_FORMATS),
    )
    .option(
      '-o, --output <file>',
      'write the report to a file instead of printing it; `github` is appended',
      path,
    )
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate report last --output report.html\n  orchestrate report last --format github --output "$GITHUB_STEP_SUMMARY"',
    )
    .action((text: string, flags: ReportFlags) => report(context, text, flags));
}

async function report(context: CliContext, text: string, flags: ReportFlags): Promise<void> {
  const run = await readRunWithEventsHere(context, text);
  if (run === undefined) return;
  const { state, events, isAlive } = run;
  const format = formatOf(flags);
  const rendered = renderReport({ state, events, isAlive, now: Date.now() }, format);
  if (flags.output === undefined || flags.output === '-') {
    context.out(rendered);
    return;
  }
  const written = writeReport(siteOf(context), {
    file: flags.output,
    text: rendered,
    // The steps of a job share its summary.
    isAppended: format === 'github',
  });
  if (written.type === 'error') refuse(context, written.error);
  else context.err(`wrote ${flags.output}\n`);
}

function formatOf(flags: ReportFlags): ReportFormat {
  const extension = /\.(\w+)$/.exec(flags.output ?? '')?.[1] ?? '';
  return flags.format ?? EXTENSIONS[extension] ?? 'md';
}
