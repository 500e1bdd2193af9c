/** One verification: an agent reviews the work and writes a report; its markers decide. */
import { basename, dirname } from 'node:path';
import type { OrchestrateDurable, RunAgentOutput } from '../../effects/contracts.ts';
import type { Stepped } from '../../engine/durable.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import { agentInput, agentOptions } from '../agent/agent-call.ts';
import { DRY_REPORT, dryAnswer } from '../agent/dry-run.ts';
import type { TaskInput, VerifyInput } from '../input.ts';
import { VERIFICATION_SYSTEM, verificationPrompt } from '../prompts/verification.ts';
import { FILES } from '../workspace/layout.ts';
import { parseVerificationReport, type VerificationReport } from './verification-report.ts';

export interface Verified {
  readonly stepped: Stepped<RunAgentOutput>;
  readonly failure?: Failure;
  readonly text: string;
  readonly report: VerificationReport;
}

export async function verify(
  durable: OrchestrateDurable,
  key: StepKey,
  task: VerifyInput & { readonly stopFile?: string },
): Promise<Verified> {
  const prompt = verificationPrompt({
    instructions: task.instructions,
    depth: task.depth,
    place: task,
    reportPath: task.reportPath,
  });
  return askForReport(durable, key, {
    task,
    prompt,
    systemPrompt: VERIFICATION_SYSTEM,
    reportPath: task.reportPath,
    dryReport: DRY_REPORT,
    ...defined({ stopFile: task.stopFile }),
  });
}

export interface ReportRequest {
  readonly task: TaskInput;
  readonly prompt: string;
  readonly systemPrompt: string;
  readonly reportPath: string;
  readonly dryReport: string;
  /** For a report requested by a loop. */
  readonly stopFile?: string;
}

/** The file is emptied first, so that an earlier report is not mistaken for this one. */
export async function askForReport(
  durable: OrchestrateDurable,
  key: StepKey,
  { task, prompt, systemPrompt, reportPath, dryReport, stopFile }: ReportRequest,
): Promise<Verified> {
  const file = { root: dirname(reportPath), path: basename(reportPath) };
  const own = { ...file, record: FILES.written };
  const emptied = await durable.step(sideKey(key, 'empty'), 'write-file', { ...own, text: '' });
  const stepped = await durable.step(
    key,
    'run-agent',
    agentInput(task, {
      prompt,
      systemPrompt,
      ...(task.dryRun === true ? { agent: dryAnswer(dryReport) } : {}),
    }),
    agentOptions(task, stopFile),
  );
  const read = await durable.step(sideKey(key, 'report'), 'read-file', file);
  const failure = emptied.output.failure ?? stepped.output.failure ?? read.output.failure;
  let text = read.output.text ?? '';
  // An agent without write permission answers with the report itself.
  if (failure === undefined && text.trim() === '') text = stepped.output.answer ?? text;
  // It is in the journal now, so the next report may replace it.
  if (failure === undefined && text.trim() !== '')
    await durable.step(sideKey(key, 'kept'), 'write-file', { ...own, text }, { syncWithNext: true });
  const report = parseVerificationReport(text);
  const wrote = (read.output.text ?? '').trim() !== '';
  const { denied } = stepped.output;
  // An answer of an agent without write permission counts as a report only if it has the form of one.
  const unwritten: Failure | undefined =
    denied === undefined || wrote || report.status !== 'needs_review'
      ? undefined
      : { type: 'agent', outcome: denied };
  const why = failure ?? unwritten;
  return { stepped, ...defined({ failure: why }), text, report };
}
