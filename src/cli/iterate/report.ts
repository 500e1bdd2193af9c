/** `validate` and `verify`: an agent reviews the instructions or the work and writes a report, in a run of its own. */
import { isJsonObject } from '../../model/json.ts';
import {
  type PreparedReport,
  prepareReport,
  type ReportOnLoop,
  readVerification,
} from '../../operations/loops/run/prepare-report.ts';

import { printable } from '../../report/text/printable.ts';
import { EXIT } from '../exit-codes.ts';
import { STDERR } from '../loop-view/live-view.ts';
import { createReportView } from '../loop-view/report-view.ts';
import { refuse } from '../refuse.ts';
import { carryOutHere } from '../running/carry-out.ts';
import { answerOf, type IterateCommand, shownPath, trustFlags } from './command.ts';

interface AgentFlags {
  readonly agent?: string;
  readonly dryRun?: boolean;
  readonly dangerouslySkipPermissions?: boolean;
}

export interface VerifyFlags extends AgentFlags {
  readonly depth?: string;
  readonly reportPath?: string;
  readonly json?: boolean;
  readonly showReport?: boolean;
  readonly verbose?: boolean;
  readonly quiet?: boolean;
}

export async function verify(command: IterateCommand, name: string, flags: VerifyFlags): Promise<void> {
  const { context } = command;
  const { depth, reportPath: path, verbose, quiet } = flags;
  if (verbose === true && quiet === true) {
    refuse(context, { type: 'verbose-and-quiet' });
    return;
  }
  const level = quiet === true ? 'quiet' : verbose === true ? 'verbose' : undefined;
  const about = { ...asked(flags), name, purpose: 'verify', depth, reportPath: path } as const;
  const made = await report(command, about, level);
  if (made === undefined) return;
  const { text, reportPath } = made;
  const parsed = readVerification(text);
  context.exitCode = parsed.status === 'pass' ? EXIT.done : EXIT.failed;
  if (flags.json === true) {
    const { status, summary, issues, confidence, recommendedAction } = parsed;
    const said = { status, summary, fullReport: text, reportPath, issueCount: issues.length, issues };
    context.out(
      `${JSON.stringify({ ...said, confidence: confidence ?? null, recommendedAction: recommendedAction ?? null }, null, 2)}\n`,
    );
    return;
  }
  if (quiet === true) return;
  const words = { pass: '✅ Verified', fail: '❌ Incomplete', needs_review: '⚠️ Needs review' }[parsed.status];
  const lines = [
    words,
    parsed.summary,
    ...parsed.issues.map((issue, index) => `  ${index + 1}. ${issue}`),
    ...(parsed.confidence === undefined ? [] : [`Confidence: ${parsed.confidence}`]),
    ...(parsed.recommendedAction === undefined ? [] : [`Recommended: ${parsed.recommendedAction}`]),
    `Report: ${reportPath}`,
  ];
  context.out(`${printable(lines.join('\n'))}\n`);
  if (flags.showReport === true) context.out(`\n${printable(text).trimEnd()}\n`);
}

export async function validate(command: IterateCommand, name: string, flags: AgentFlags): Promise<void> {
  const made = await report(command, { ...asked(flags), name, purpose: 'validate' });
  if (made !== undefined) command.context.out(`${printable(made.text).trimEnd()}\n`);
}

function asked(flags: AgentFlags): Pick<ReportOnLoop, 'agent' | 'isDry' | 'skipsPermissions'> {
  const { agent, dryRun: isDry, dangerouslySkipPermissions: skipsPermissions } = flags;
  return { agent, isDry, skipsPermissions };
}

/** Undefined if there is no report; the reason has been printed. */
async function report(
  command: IterateCommand,
  about: ReportOnLoop,
  givenLevel?: PreparedReport['level'],
): Promise<{ readonly text: string; readonly reportPath: string } | undefined> {
  const { context, site, settings } = command;
  const prepare = () => prepareReport(site, { ...about, settings });
  const prepared = await answerOf(command, prepare, trustFlags(command, about.name));
  if (prepared === undefined) return undefined;
  const { colors, reportPath } = prepared;
  const level = givenLevel ?? prepared.level;
  const isVerification = about.purpose === 'verify';
  const { exitCode, end } = await carryOutHere(context, prepared, {
    output: level === 'verbose' ? { verbose: true } : { quiet: true },
    ...(level !== 'progress'
      ? {}
      : {
          reporter: () =>
            createReportView({
              title: `${isVerification ? 'Verifying' : 'Validating'} ${about.name}`,
              color: context.color.stderr && colors,
              terminal: STDERR,
              write: (text) => context.screen(text),
            }),
        }),
  });
  context.exitCode = exitCode;
  if (end?.status === 'failed' && end.failure !== undefined) {
    refuse(context, {
      type: 'loop-report-failed',
      purpose: isVerification ? 'Verification' : 'Validation',
      failure: end.failure,
    });
  }
  if (end?.status !== 'completed') return undefined;
  const output = isJsonObject(end.output) ? end.output : {};
  return { text: String(output['text'] ?? ''), reportPath: shownPath(site, reportPath) };
}
