import type { CodeHost } from '../../code/run/execution.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { LoadedCode } from '../../operations/code/load-code.ts';
import type { Site } from '../../operations/site.ts';
import { programCaller } from '../../operations/workflows/call-program.ts';
import { startedAtOf } from '../../operations/workflows/plan-workflow.ts';
import type { CallProgram } from '../../workflow/block.ts';
import type { WorkflowInput } from '../../workflow/run/program.ts';
import { loadPlanned } from './planned-code.ts';
import { codeHost } from './run-code.ts';

/** Loads the programs that a workflow file calls, before its first step: what changes later is for later runs. */
export async function openPrograms(
  site: Site,
  given: Omit<CodeHost, 'callFile'>,
  { input, signal }: { readonly input: WorkflowInput; readonly signal: AbortSignal },
): Promise<Result<CallProgram, Failure>> {
  const { runId, workspace, asStarted, cassette, acceptedAt } = input;
  const programs: LoadedCode[] = [];
  for (const { file, sources } of input.programs ?? []) {
    const loaded = await loadPlanned(site, { file, sources, runId, ...defined({ asStarted }) });
    if (typeof loaded === 'string') return error({ type: 'program-error', message: loaded });
    programs.push(loaded);
  }
  const run = { runId, workspace, startedAt: startedAtOf(input), ...defined({ cassette, acceptedAt }) };
  return ok(programCaller({ run, programs, host: codeHost(site, given), signal }));
}
