/** `validate` and `verify`: an agent looks and writes a report, as a run of its own. */
import fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { notifySecrets } from '../../iterate/config/notify-address.ts';
import { VALIDATE_PROGRAM, VERIFY_PROGRAM } from '../../iterate/input.ts';
import { DEPTHS, type Depth, type OutputLevel } from '../../iterate/mode.ts';
import { parseVerificationReport } from '../../iterate/verification/verification-report.ts';
import { readTextIfThere } from '../../iterate/workspace/workspaces.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import type { RunPlan } from '../../operations/run-plan.ts';
import { newRunId } from '../../operations/runs/run-ids.ts';
import { printable } from '../../report/text/printable.ts';
import { carryOutHere } from '../carry-out.ts';
import { EXIT } from '../exit-codes.ts';
import { chooseAgent, missingAgent } from './run/agent.ts';
import { configFor, type RunFlags, taskInput } from './run/run-input.ts';
import { contractCode } from './site/exit-code.ts';
import { type IterateSite, mayStart, openWorkspace, refuse, shownPath } from './site/site.ts';
import { takeWorkspace } from './site/take-workspace.ts';
import { STDERR } from './view/live-view.ts';
import { createReportView } from './view/report-view.ts';

type AgentFlags = Pick<RunFlags, 'agent' | 'dryRun' | 'dangerouslySkipPermissions'>;

export interface VerifyFlags extends AgentFlags {
  readonly depth?: string;
  readonly reportPath?: string;
  readonly json?: boolean;
  readonly showReport?: boolean;
}

export async function verify(site: IterateSite, name: string, flags: VerifyFlags): Promise<void> {
  const { context } = site;
  if (flags.depth !== undefined && !DEPTHS.includes(flags.depth as Depth))
    return refuse(context, `Invalid depth: ${flags.depth}. Use quick, standard or deep.`);
  const reported = await report(site, name, {
    flags,
    program: VERIFY_PROGRAM,
    ...(flags.depth === undefined ? {} : { depth: flags.depth as Depth }),
    ...(flags.reportPath === undefined ? {} : { reportPath: flags.reportPath }),
  });
  if (reported === undefined) return;
  const { text, reportPath } = reported;
  const parsed = parseVerificationReport(text);
  context.exitCode = parsed.status === 'pass' ? EXIT.done : EXIT.failed;
  if (flags.json === true) {
    const { status, summary, issues, confidence, recommendedAction } = parsed;
    const said = { status, summary, fullReport: text, reportPath, issueCount: issues.length, issues };
    context.out(
      `${JSON.stringify({ ...said, confidence: confidence ?? null, recommendedAction: recommendedAction ?? null }, null, 2)}\n`,
    );
    return;
  }
  const words = { pass: '✅ Verified', fail: '❌ Incomplete', needs_review: '⚠️ Needs review' }[parsed.status];
  const lines = [
    words,
    ...(parsed.summary === '' ? [] : [parsed.summary]),
    ...parsed.issues.map((issue, index) => `  ${index + 1}. ${issue}`),
    ...(parsed.confidence === undefined ? [] : [`Confidence: ${parsed.confidence}`]),
    ...(parsed.recommendedAction === undefined ? [] : [`Recommended: ${parsed.recommendedAction}`]),
    `Report: ${reportPath}`,
  ];
  context.out(`${printable(lines.join('\n'))}\n`);
  if (flags.showReport === true) context.out(`\n${printable(text).trimEnd()}\n`);
}

export async function validate(site: IterateSite, name: string, flags: AgentFlags): Promise<void> {
  const reported = await report(site, name, { flags, program: VALIDATE_PROGRAM });
  if (reported !== undefined) site.context.out(`${printable(reported.text).trimEnd()}\n`);
}

interface ReportRequest {
  readonly program: typeof VERIFY_PROGRAM | typeof VALIDATE_PROGRAM;
  readonly flags: AgentFlags;
  readonly depth?: Depth;
  readonly reportPath?: string;
}

/** Undefined: there is none, and why has been said. */
async function report(
  site: IterateSite,
  name: string,
  request: ReportRequest,
): Promise<{ readonly text: string; readonly reportPath: string } | undefined> {
  const { context } = site;
  const { flags, program } = request;
  const workspace = openWorkspace(site, name);
  if (workspace === undefined) return undefined;
  const config = configFor(workspace, flags);
  const instructions = readTextIfThere(workspace.paths.instructions);
  if (instructions === undefined || instructions.trim() === '')
    return refuse(context, `Instructions not found. Run setup first: claude-iterate setup ${name}`);
  const agent = chooseAgent(config);
  if (agent.type === 'error') return refuse(context, agent.error);
  const missing = flags.dryRun === true ? undefined : missingAgent(agent.value);
  if (missing !== undefined) return refuse(context, missing);
  if (!(await mayStart(site, config, flags.dryRun === true ? undefined : agent.value.choice)))
    return undefined;
  const reportPath =
    program === VALIDATE_PROGRAM
      ? workspace.paths.validationReport
      : request.reportPath === undefined
        ? join(workspace.paths.folder, config.get<string>('verification.reportFilename'))
        : resolve(context.workspace, request.reportPath);
  if (!fs.existsSync(dirname(reportPath)))
    return refuse(context, `there is no folder \`${dirname(reportPath)}\``);
  const lock = takeWorkspace(site, workspace);
  if (lock === undefined) return undefined;
  const runId = newRunId(context.workspace);
  const task = taskInput({
    workspace,
    projectRoot: context.workspace,
    config,
    agent: agent.value,
    flags,
    instructions,
    runId,
  });
  try {
    const input = {
      ...task,
      reportPath,
      depth: request.depth ?? config.get<Depth>('verification.depth'),
    } as unknown as JsonValue;
    const facts = { iterate_workspace: workspace.paths.folder };
    const plan: RunPlan = {
      runId,
      workspace: context.workspace,
      kind: 'iterate',
      title: name,
      begin: { type: 'new', program, input, facts },
      secrets: [],
    };
    const { exitCode, end } = await carryOutHere(
      context,
      { plan },
      {
        output: { quiet: true },
        secretValues: notifySecrets(config.get<string | undefined>('notifyUrl')),
        ...(config.get<OutputLevel>('outputLevel') === 'quiet'
          ? {}
          : {
              reporter: createReportView({
                title: `${program === VERIFY_PROGRAM ? 'Verifying' : 'Validating'} ${name}`,
                color: context.color.stderr && config.get<boolean>('colors'),
                terminal: STDERR,
                write: (text) => context.screen(text),
              }),
            }),
      },
    );
    context.exitCode = contractCode(exitCode);
    const output = isJsonObject(end?.output) ? end.output : {};
    if (end?.status === 'failed' && end.failure !== undefined)
      return refuse(
        context,
        `${program === VERIFY_PROGRAM ? 'Verification' : 'Validation'} failed: ${describeFailure(end.failure)}`,
      );
    if (end?.status !== 'completed') return undefined;
    return { text: String(output['text'] ?? ''), reportPath: shownPath(context, reportPath) };
  } finally {
    lock.release();
  }
}
