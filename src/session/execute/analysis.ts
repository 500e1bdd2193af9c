/** The steps before the implementation, in order, each with the outputs of earlier ones. */
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import { unreachable } from '../../model/unreachable.ts';
import { type Command, isSearch, parseCommand } from '../document/command.ts';
import type { AnalysisStep } from '../document/flow.ts';
import { renderProse } from '../document/script.ts';
import { analysisFileName, WRITTEN } from '../layout.ts';
import { renderAnalysis, type StepResult } from '../views/analysis.ts';
import { gather } from './gather.ts';
import { type Ran, runScript } from './run-script.ts';
import { TASK_KEY, type TaskWork, type WorkFailure } from './task-state.ts';

export async function analyseFirst(work: TaskWork): Promise<WorkFailure | undefined> {
  const { task } = work;
  if (task.preAnalysis.length === 0) return undefined;
  const results: StepResult[] = [];
  const failed = await runAll(work, results);
  await work.durable.step(sideKey(TASK_KEY, 'analysis'), 'write-file', {
    path: `${work.call.folder}/.chat/${analysisFileName(task.id)}`,
    text: renderAnalysis(task, results),
    mode: 0o600,
    record: `${work.call.folder}/${WRITTEN}`,
  });
  return failed;
}

async function runAll(work: TaskWork, results: StepResult[]): Promise<WorkFailure | undefined> {
  for (const [index, step] of work.task.preAnalysis.entries()) {
    const ended = await runStep(work, step, work.steps.analysis[index] as StepKey);
    results.push({ step, ...ended });
    if (ended.again !== undefined) {
      const { failure, again, ifNamed } = ended;
      return { failure, again, ...defined({ ifNamed }) };
    }
    if (step.outputTo !== undefined) work.outputs[step.outputTo] = ended.output;
  }
  return undefined;
}

/** If set, the task ends here. */
type StepEnd = (Attempt & { readonly again?: undefined }) | (Attempt & WorkFailure);

async function runStep(work: TaskWork, step: AnalysisStep, key: StepKey): Promise<StepEnd> {
  const first = await attempt(work, step, key);
  const { ran, output, failure } = first;
  if (failure === undefined) return first;
  switch (step.onError) {
    case 'skip_optional':
      await note(work, key, `optional step failed and is skipped: ${describeFailure(failure)}`);
      return { ran, output: '', failure };
    case 'retry_once': {
      const again = stepKey(`${key}#2`);
      const second = await attempt(work, step, again);
      return second.failure === undefined
        ? second
        : { ...second, failure: second.failure, again: [key, again] };
    }
    case 'manual_intervention':
      return ask(work, { step, key, failure, ran, output });
    case 'fail':
      return { ran, output, failure, again: [key] };
    default:
      return unreachable(step.onError);
  }
}

async function note({ durable }: TaskWork, key: StepKey, message: string): Promise<void> {
  await durable.step(sideKey(key, 'why'), 'note', { type: 'decision', message }, { syncWithNext: true });
}

interface Attempt {
  /** The commands as they were carried out. */
  readonly ran: readonly string[];
  readonly output: string;
  readonly failure?: Failure;
}

/** Carries out the commands of the step in order, up to the first failure. */
async function attempt(work: TaskWork, step: AnalysisStep, key: StepKey): Promise<Attempt> {
  const ran: string[] = [];
  const outputs: string[] = [];
  for (const [index, written] of step.commands.entries()) {
    const command = parseCommand(written);
    const end = await carryOut(work, step, { command, key: keyOf(step, key, index) });
    if (end === undefined) continue;
    ran.push(end.ran);
    outputs.push(end.output);
    const failure = judge(step, end, successCodes(command));
    if (failure !== undefined) return { ran, output: outputs.join('\n'), failure };
  }
  return { ran, output: outputs.join('\n') };
}

/** Undefined: the agent will do it. */
async function carryOut(
  work: TaskWork,
  step: AnalysisStep,
  { command, key }: { readonly command: Command; readonly key: StepKey },
): Promise<Ran | undefined> {
  switch (command.type) {
    case 'bash':
      return runScript(work, key, command.script, { successCodes: expectedCodes(step, command) });
    case 'read':
    case 'glob':
    case 'grep':
      return gather(work, key, command);
    case 'for-agent':
      work.toGather.push({
        action: step.action,
        command: renderProse(command.text, work.task, work.outputs),
      });
      return undefined;
    default:
      return unreachable(command);
  }
}

/** The step's own key, unless a question may be asked under that key. */
function keyOf(step: AnalysisStep, key: StepKey, index: number): StepKey {
  if (step.commands.length > 1) return sideKey(key, `run-${index + 1}`);
  return step.onError === 'manual_intervention' ? sideKey(key, 'run') : key;
}

/** What the step's author expects is not shown as a failure. */
function expectedCodes(step: AnalysisStep, command: Command): readonly number[] | 'any' {
  return step.onError === 'skip_optional' ? 'any' : [...successCodes(command), ...wantedCodes(step)];
}

/** If the step does not say which. */
function successCodes(command: Command): readonly number[] {
  return command.type === 'bash' && isSearch(command.script) ? [0, 1] : [0];
}

function wantedCodes(step: AnalysisStep): readonly number[] {
  return step.successCriteria.flatMap((each) => {
    const code = /^exit_code:(\d+)$/.exec(each)?.[1];
    return code === undefined ? [] : [Number(code)];
  });
}

/** `exit_code:3` makes 3 the success code; `contains:x` requires `x` in the output. */
function judge(step: AnalysisStep, end: Ran, success: readonly number[]): Failure | undefined {
  const wanted = wantedCodes(step);
  const isExit = end.failure?.type === 'exit-code' || end.failure === undefined;
  if (wanted.length > 0 && isExit) {
    if (!wanted.includes(end.exitCode))
      return { type: 'unproven', reasons: [`exit code ${end.exitCode}, expected ${wanted.join(' or ')}`] };
  } else if (isExit && success.includes(end.exitCode)) {
    // Nothing was found.
  } else if (end.failure !== undefined) return end.failure;
  else if (end.exitCode !== 0) return { type: 'exit-code', exitCode: end.exitCode };
  const missing = step.successCriteria
    .flatMap((each) => /^contains:([\s\S]+)$/.exec(each)?.[1] ?? [])
    .filter((text) => !end.output.includes(text));
  return missing.length === 0
    ? undefined
    : { type: 'unproven', reasons: missing.map((text) => `the output does not contain \`${text}\``) };
}

const CHOICES = ['continue', 'skip', 'fail'] as const;

/** The user decides: use the output, skip the step, or block the task. */
async function ask(
  { durable, task, asker }: TaskWork,
  failed: Attempt & { readonly step: AnalysisStep; readonly key: StepKey; readonly failure: Failure },
): Promise<StepEnd> {
  const { ran, output, failure } = failed;
  const question = {
    message: `${task.id}: step \`${failed.step.step}\` (${failed.step.action || failed.step.commands.join('; ')}) failed: ${describeFailure(failure)}`,
    choices: CHOICES,
  };
  const answer = await asker.ask(() => durable.answer(failed.key, question));
  switch (answer.choice) {
    case 'continue':
      return { ran, output, failure };
    case 'skip':
      return { ran, output: '', failure };
    default:
      return { ran, output, failure, again: [], ifNamed: [failed.key] };
  }
}
