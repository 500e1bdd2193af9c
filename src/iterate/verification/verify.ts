/** One verification: an agent reviews the work and writes a report; its markers decide. */
import { basename, dirname } from 'node:path';
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import { type AgentCalled, callAgent, type InLoop } from '../agent/agent-call.ts';
import { DRY_REPORT, dryAnswer } from '../agent/dry-run.ts';
import type { TaskInput, VerifyInput } from '../input.ts';
import { VERIFICATION_SYSTEM, verificationPrompt } from '../prompts/verification.ts';
import type { Words } from '../prompts/words.ts';
import { FILES } from '../workspace/layout.ts';
import { parseVerificationReport, type VerificationReport } from './verification-report.ts';

export type Verified = {
  readonly text: string;
  readonly report: VerificationReport;
} & (
  | { readonly called: AgentCalled; readonly failure?: undefined }
  | {
      /** Omitted if the agent was not asked. */
      readonly called?: AgentCalled;
      readonly failure: Failure;
      /** What a resume repeats: never the agent's work because of a file. */
      readonly retryKeys: readonly StepKey[];
    }
);

export async function verify(
  durable: OrchestrateDurable,
  key: StepKey,
  task: VerifyInput & { readonly within?: InLoop },
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
    ...defined({ within: task.within }),
  });
}

export interface ReportRequest {
  readonly task: TaskInput;
  readonly prompt: Words;
  readonly systemPrompt: string;
  readonly reportPath: string;
  readonly dryReport: string;
  readonly within?: InLoop;
}

/** The file is emptied first, so that an earlier report is not mistaken for this one. */
export async function askForReport(
  durable: OrchestrateDurable,
  key: StepKey,
  { task, prompt, systemPrompt, reportPath, dryReport, within }: ReportRequest,
): Promise<Verified> {
  const file = { root: dirname(reportPath), path: basename(reportPath) };
  const own = { ...file, record: FILES.written };
  const empty = sideKey(key, 'empty');
  const emptied = await durable.step(empty, 'write-file', { ...own, text: '' });
  const unwritable = emptied.output.failure;
  if (unwritable !== undefined) return { ...NO_REPORT, failure: unwritable, retryKeys: [empty] };
  const called = await callAgent(durable, key, {
    task,
    prompt,
    systemPrompt,
    agent: task.dryRun === true ? dryAnswer(dryReport) : undefined,
    ...defined({ within }),
  });
  const read = sideKey(key, 'report');
  const { output: written } = await durable.step(read, 'read-file', file);
  const { answer, denied, failure } = called.stepped.output;
  const wrote = written.text !== undefined && written.text.trim() !== '';
  // An agent without write permission answers with the report itself.
  const usesAnswer = !wrote && failure === undefined && written.failure === undefined;
  const text = (usesAnswer ? answer : undefined) ?? written.text ?? '';
  const kept = sideKey(key, 'kept');
  // It is in the journal now, so the next report may replace it, and so may the next attempt at this one.
  const unkept =
    text.trim() === ''
      ? undefined
      : (await durable.step(kept, 'write-file', { ...own, text }, { syncWithNext: true })).output.failure;
  const report = parseVerificationReport(text);
  const said = { called, text, report };
  if (failure !== undefined) return { ...said, failure, retryKeys: called.keys };
  if (written.failure !== undefined) return { ...said, failure: written.failure, retryKeys: [read] };
  // An answer of an agent without write permission counts as a report only if it has the form of one.
  if (denied !== undefined && !wrote && report.status === 'needs_review')
    return { ...said, failure: { type: 'agent', outcome: denied }, retryKeys: [key] };
  if (unkept !== undefined) return { ...said, failure: unkept, retryKeys: [kept] };
  return said;
}

const NO_REPORT = { text: '', report: parseVerificationReport('') };
