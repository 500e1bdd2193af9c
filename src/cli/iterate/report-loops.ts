import { reportLoops } from '../../operations/loops/report-loops.ts';
import { writeReport } from '../../operations/runs/write-report.ts';
import { LOOP_REPORT_FORMATS, type LoopReportFormat, renderLoops } from '../../report/render-loops.ts';
import { refuse } from '../refuse.ts';
import { answerOf, type IterateCommand } from './command.ts';

export interface ReportLoopsFlags {
  readonly since?: Date;
  readonly format?: LoopReportFormat;
  readonly output?: string;
}

/** What loops did: printed, or written to a file. */
export async function reportOnLoops(
  command: IterateCommand,
  names: readonly string[],
  flags: ReportLoopsFlags,
): Promise<void> {
  const { context, site, settings } = command;
  const { since, output } = flags;
  const loops = await answerOf(command, () => reportLoops(site, { settings, names, since }));
  if (loops === undefined) return;
  const text = renderLoops(loops, flags.format ?? formatOf(output));
  if (output === undefined || output === '-') {
    context.out(text);
    return;
  }
  const written = writeReport(site, { file: output, text });
  if (written.type === 'error') refuse(context, written.error);
  else context.err(`wrote ${output}\n`);
}

function formatOf(output = ''): LoopReportFormat {
  const extension = /\.(\w+)$/.exec(output)?.[1];
  return LOOP_REPORT_FORMATS.find((format) => format === extension) ?? 'md';
}
