/**
 * Runs one tool that an agent requested. The result is for the agent: a failure here drives the retry policy and is reported to
 * the agent, but never ends a run.
 */

import type { Effect, EffectContext } from '../../engine/durable.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import { exitCodeFor, type Failure, outcomeName } from '../../model/failure.ts';
import type { WorkOutput } from '../../model/record.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import { orchestrateFolder } from '../../store/layout.ts';
import { fileFailure } from '../../store/safe-path.ts';
import type { RunCommandInput, RunToolInput, RunToolOutput } from '../contracts.ts';
import { createRunCommand, type RunCommandParts } from '../run-command.ts';
import { toolAt } from '../site-paths.ts';
import { commandText } from './command-text.ts';
import { listText, readText, writeText } from './files.ts';
import { search } from './search.ts';
import { boundedText } from './tool-text.ts';

export function createRunTool(parts: RunCommandParts): Effect<RunToolInput, RunToolOutput> {
  const runCommand = createRunCommand(parts);
  return async (given, context) => {
    const { wholeIn, ...output } = await runTool(toolAt(context.run, given), context);
    return wholeIn === undefined ? output : { ...output, wholeIn: given.outputFile };
  };
  async function runTool(input: RunToolInput, context: EffectContext): Promise<RunToolOutput> {
    if (input.tool.type !== 'command') {
      // With write access there, an agent could answer the questions of the run.
      const keepOut = [...input.keepOut, orchestrateFolder(context.run.workspace)];
      return builtinOutput({ ...input, keepOut }, context.signal);
    }
    const command: RunCommandInput = {
      argv: input.tool.argv,
      root: input.root,
      timeoutMs: input.timeoutMs,
      capture: 'text',
    };
    return commandOutput(input, context, await runCommand(command, context));
  }
}

function commandOutput(input: RunToolInput, context: EffectContext, work: WorkOutput): RunToolOutput {
  const printed = attempt(() => commandText(context, input));
  if (printed.type === 'error') return { ...work, ...failed(printed.error) };
  const { text, ...rest } = printed.value;
  if (work.failure === undefined) return { ...work, text, ...rest };
  return { ...work, text: `${describeFailure(work.failure)}\n${text}`, ...rest };
}

async function builtinOutput(input: RunToolInput, signal: AbortSignal): Promise<RunToolOutput> {
  let done: Result<string, Failure>;
  try {
    done = await runBuiltin(input, signal);
  } catch (problem) {
    signal.throwIfAborted();
    return failed(fileFailure('save the output of a tool to', 'tool_outputs', problem));
  }
  if (done.type === 'error') return failed(done.error);
  const text = done.value;
  const bounded = attempt(() => boundedText(Buffer.from(text), input));
  if (bounded.type === 'error') return failed(bounded.error);
  return { exitCode: 0, outcome: 'done', ...bounded.value };
}

async function runBuiltin(input: RunToolInput, signal: AbortSignal): Promise<Result<string, Failure>> {
  const { root, keepOut, tool, timeoutMs } = input;
  switch (tool.type) {
    case 'read-file':
      return readText(input, tool);
    case 'write-file':
      return writeText(input, tool);
    case 'list-files':
      return listText(input, tool.glob);
    case 'search':
      return search({ root, keepOut, pattern: tool.pattern, glob: tool.glob, timeoutMs, signal });
    case 'command':
      throw new Error('a command is not a builtin');
    default:
      return unreachable(tool);
  }
}

function failed(failure: Failure): RunToolOutput & { readonly failure: Failure } {
  return {
    exitCode: exitCodeFor(failure),
    outcome: outcomeName(failure),
    failure,
    text: `${describeFailure(failure)}\n`,
  };
}

function attempt<Value>(action: () => Value): Result<Value, Failure> {
  try {
    return ok(action());
  } catch (problem) {
    return error(fileFailure('save the output of a tool to', 'tool_outputs', problem));
  }
}
