import type { Command } from 'commander';
import { lastInput } from '../../engine/last-input.ts';
import { resumeRun } from '../../engine/local-run.ts';
import { ITERATE_PROGRAM } from '../../iterate/input.ts';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { EXECUTE_PROGRAM, type ExecuteInput } from '../../session/execute/input.ts';
import { changedSteps } from '../../workflow/changed-steps.ts';
import { hasFinally } from '../../workflow/has-finally.ts';
import type { LoadedWorkflow } from '../../workflow/load/load-workflow.ts';
import type { WorkflowInput } from '../../workflow/program.ts';
import { secretNames } from '../../workflow/secret-names.ts';
import type { CliContext } from '../context.ts';
import { execute } from '../execute.ts';
import { EXIT } from '../exit-codes.ts';
import { findRunOrTell } from '../find-run.ts';
import { tellsLeak } from '../leaked-secret.ts';
import { loadOrTell } from '../load.ts';
import { currentInput, type ReadRun, readRunOrTell } from '../read-run.ts';
import { newRunId } from '../run-ids.ts';
import { addOutputOptions, addTrustOption, type OutputOptions, type TrustOption } from '../run-options.ts';
import { inputAnew, mayStartAgentsOf, startInput, workflowFacts } from '../start-workflow.ts';
import { tidyEndedRun } from '../tidy-ended-run.ts';
import { mayGoOn } from '../trust/own-run.ts';

interface ResumeFlags extends OutputOptions, TrustOption {
  readonly acceptChanges?: boolean;
  readonly forceRestart?: boolean;
}

export function define(command: Command, context: CliContext): void {
  addOutputOptions(
    addTrustOption(
      command
        .argument('<run>', 'its id, the beginning of it, or `last`')
        .option('--accept-changes', 'go on with a changed workflow, if no completed step has changed')
        .option('--force-restart', 'of a workflow: start a new run with the same input; the old one is kept'),
    ),
  )
    .addHelpText('after', '\nExample:\n  orchestrate resume 20260131T120000Z-abc123')
    .action(async (text: string, flags: ResumeFlags) => {
      context.exitCode = await resume(context, text, flags);
    });
}

async function resume(context: CliContext, text: string, flags: ResumeFlags): Promise<number> {
  const runId = findRunOrTell(context, text);
  if (runId === undefined) return EXIT.usage;
  const run = readRunOrTell(context, runId);
  if (run === undefined) return EXIT.failed;
  if (flags.forceRestart === true && run.started.kind !== 'workflow') {
    context.err(
      `error: run \`${runId}\` is of kind \`${run.started.kind}\`, and only workflows can be restarted\nhelp: start a new one with the command that started it\n`,
    );
    return EXIT.usage;
  }
  if (run.state.status === 'completed' && flags.forceRestart !== true) {
    const exitCode = await tidyEndedRun(context, runId);
    if (run.started.program === ITERATE_PROGRAM)
      (await import('../iterate/resume.ts')).sweepAfterEnd(context, run);
    if (exitCode === EXIT.done) context.err(`run \`${runId}\` is completed: nothing to do\n`);
    return exitCode;
  }
  if (run.state.status === 'cancelled' && flags.forceRestart !== true) {
    const help =
      run.started.kind === 'workflow'
        ? '`--force-restart` starts a new one'
        : 'start a new one with the command that started it';
    context.err(`error: run \`${runId}\` was cancelled\nhelp: ${help}\n`);
    return EXIT.usage;
  }
  if (!(await mayGoOn(context, run, flags))) return EXIT.usage;
  if (run.started.program === ITERATE_PROGRAM)
    return (await import('../iterate/resume.ts')).resumeIterate(context, run, flags);
  if (run.started.kind !== 'workflow') return resumePinned(context, run, flags);
  const input = currentInput(run);
  const loaded = loadOrTell(context, input.definition.file, { extraContext: Object.keys(input.context) });
  if (loaded === undefined) return EXIT.usage;
  if (flags.forceRestart === true) return restart(context, { input, loaded, flags });
  const change = acceptedChange(context, { run, input, loaded, flags });
  if (change === 'refused') return EXIT.usage;
  const current: WorkflowInput = change === undefined ? input : { ...input, definition: loaded.definition };
  if (!(await mayStartAgentsOf(context, current, flags))) return EXIT.usage;
  const executed = await execute({
    context,
    runId,
    title: run.started.title,
    history: run.events,
    output: flags,
    secrets: secretNames(loaded.definition),
    tidiesUp: hasFinally(loaded.definition),
    ...(input.cassette === undefined ? {} : { cassette: input.cassette }),
    begin: (host, signal) =>
      resumeRun(
        host,
        { workspace: context.workspace, runId, ...(change === undefined ? {} : { change }) },
        signal,
      ),
  });
  return executed.exitCode;
}

/** A run of another kind has no file to compare with: it goes on with the input it was started with. */
async function resumePinned(context: CliContext, run: ReadRun, flags: ResumeFlags): Promise<number> {
  const { runId } = run;
  if (run.started.program === EXECUTE_PROGRAM && !(await mayExecuteTasks(context, run, flags)))
    return EXIT.usage;
  const { mayStartAgents } = await import('../trust/agent-settings.ts');
  if (!(await mayStartAgents(context, { agents: agentsOf(run), flags }))) return EXIT.usage;
  const { exitCode } = await execute({
    context,
    runId,
    title: run.started.title,
    history: run.events,
    output: flags,
    secrets: [],
    secretValues:
      run.started.kind === 'iterate'
        ? (await import('../iterate/site/run-secrets.ts')).secretsOfRun(run)
        : [],
    begin: (host, signal) => resumeRun(host, { workspace: context.workspace, runId }, signal),
  });
  return exitCode;
}

/** Its tasks are read again from their files. */
async function mayExecuteTasks(context: CliContext, run: ReadRun, flags: ResumeFlags): Promise<boolean> {
  const { session: id } = lastInput(run.events) as unknown as ExecuteInput;
  const { sessionOrTell } = await import('../session/tell.ts');
  const { mayExecute } = await import('../session/trust-tasks.ts');
  const session = sessionOrTell(context, id);
  return session === undefined ? false : mayExecute(context, session, flags);
}

/** That of a conversation has no tools and no settings of the folder. */
function agentsOf({ events }: ReadRun): readonly string[] {
  const input = lastInput(events);
  const agent = isJsonObject(input) ? input['agent'] : undefined;
  const adapter = isJsonObject(agent) ? agent['adapter'] : undefined;
  return typeof adapter === 'string' ? [adapter] : [];
}

interface Resumption {
  readonly run: ReadRun;
  readonly input: WorkflowInput;
  readonly loaded: LoadedWorkflow;
  readonly flags: ResumeFlags;
}

function acceptedChange(
  context: CliContext,
  { run, input, loaded, flags }: Resumption,
): { readonly input: JsonValue; readonly facts: ReturnType<typeof workflowFacts> } | undefined | 'refused' {
  if (run.state['workflow_checksum'] === loaded.checksum) return undefined;
  const difference = changedSteps(input.definition, loaded.definition, run.events);
  const lines = [
    ...difference.changed.map((name) => `  changed: ${name}`),
    ...difference.added.map((name) => `  added: ${name}`),
    ...difference.removed.map((name) => `  removed: ${name}`),
    ...(difference.reordered ? ['  changed: the order of the steps'] : []),
    ...(difference.settings ? ['  changed: settings outside the steps'] : []),
  ];
  if (lines.length > 0 && (flags.acceptChanges !== true || difference.completed.length > 0)) {
    const because =
      difference.completed.length === 0
        ? `help: \`orchestrate resume ${run.runId} --accept-changes\` goes on with the new one\n`
        : `note: completed already: ${difference.completed.join(', ')}\nhelp: \`orchestrate fork ${run.runId} --from <step>\` shares what came before, \`--force-restart\` begins anew\n`;
    context.err(
      `error: \`${input.definition.file}\` has changed since run \`${run.runId}\` was started\n${lines.join('\n')}\n${because}`,
    );
    return 'refused';
  }
  const changed: WorkflowInput = { ...input, definition: loaded.definition };
  if (tellsLeak(context, changed)) return 'refused';
  return { input: changed as unknown as JsonValue, facts: workflowFacts(loaded, changed) };
}

async function restart(
  context: CliContext,
  { input, loaded, flags }: Pick<Resumption, 'input' | 'loaded' | 'flags'>,
): Promise<number> {
  const runId = newRunId(context.workspace);
  // Of a fork, it is the time of the run whose beginning it shared.
  const { timestampUtc: _, ...anew } = inputAnew(context, input, { runId, definition: loaded.definition });
  const { exitCode } = await startInput(context, { runId, input: anew, loaded, flags });
  return exitCode;
}
