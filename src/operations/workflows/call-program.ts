/** Runs workflows in code as steps of a workflow file: their calls are records of the same journal, with the same budget. */
import type { CodeInput } from '../../code/input.ts';
import type { CodeHost } from '../../code/run/execution.ts';
import { givenInput } from '../../code/run/given-input.ts';
import type { ObservedReplay } from '../../code/run/observed-replay.ts';
import { runCalledCode } from '../../code/run/program.ts';
import type { AgentDeclaration } from '../../code/written/calls.ts';
import type { Workflow } from '../../code/written/workflow.ts';
import { defined } from '../../model/defined.ts';
import type { RunId } from '../../model/ids.ts';
import { failedAtOnce } from '../../steps/notes.ts';
import type { CallProgram, ProgramCalled } from '../../workflow/block.ts';
import type { ProviderDefinition } from '../../workflow/definition.ts';
import type { LoadedCode } from '../code/load-code.ts';
import { digestsOf } from '../code/plan-code.ts';

export interface ProgramsOfRun {
  readonly run: Pick<CodeInput, 'workspace' | 'cassette' | 'acceptedAt'> & {
    readonly runId: RunId;
    /** ISO 8601. */
    readonly startedAt: string;
  };
  readonly programs: readonly LoadedCode[];
  readonly host: CodeHost;
  readonly signal: AbortSignal;
  /** Only over the journal. */
  readonly replay?: ObservedReplay;
}

export function programCaller({ run, programs, host, signal, replay }: ProgramsOfRun): CallProgram {
  return async (call, asked) => {
    const loaded = programs.find(({ file }) => file === asked.file);
    if (loaded === undefined) throw new Error(`\`${asked.file}\` was not loaded`);
    const given = await givenInput(loaded.workflow, asked.input);
    if (given.type === 'error') {
      const reasons = given.error.map(({ text }) => `the input of \`${asked.file}\` does not fit: ${text}`);
      return failedAtOnce(call, { type: 'unusable-values', reasons });
    }
    const { agent, maxRetries, retryDelayMs } = asked.options;
    const input: CodeInput = {
      ...run,
      ...{ file: loaded.file, name: loaded.workflow.name, input: given.value },
      sources: digestsOf(loaded.sources),
      options: defined({ agent, maxRetries, retryDelayMs }),
    };
    // What runs at the end of a run that was stopped is stopped by its own calls.
    const own = call.block.isTidyingUp === true ? new AbortController().signal : signal;
    return runCalledCode(
      call,
      { workflow: withChosenAgent(loaded.workflow, asked), input, signal: own, host },
      replay,
    );
  };
}

/** `--agent` names a provider of the workflow file. */
function withChosenAgent(workflow: Workflow, { options: { agent }, provider }: ProgramCalled): Workflow {
  if (agent === undefined || provider === undefined) return workflow;
  return { ...workflow, agents: { ...workflow.agents, [agent]: declared(provider) } };
}

/** Without its `fallback`, which names other providers of the file. */
function declared(provider: ProviderDefinition): AgentDeclaration {
  const { adapter, command, inputMode, defaults, script, tools, ask, sandbox, timeoutMs } = provider;
  const { model } = defaults;
  return {
    adapter,
    ...defined({ command, script, tools, ask, sandbox, timeout: timeoutMs }),
    ...(command === undefined ? {} : { inputMode }),
    ...(typeof model === 'string' ? { model } : {}),
  };
}
