/** The program `code` in this process: loads the files of the workflow and runs it. */
import { CODE_PROGRAM, type CodeInput, type CodeOutput } from '../../code/input.ts';
import type { CodeHost } from '../../code/run/execution.ts';
import { runCode } from '../../code/run/program.ts';
import type { Workflow } from '../../code/written/workflow.ts';
import type { EffectMap } from '../../effects/contracts.ts';
import type { Program, Programs } from '../../engine/durable.ts';
import { defined } from '../../model/defined.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Site } from '../../operations/site.ts';
import { loadPlanned } from './planned-code.ts';

export function codePrograms(site: Site, given: Omit<CodeHost, 'callFile'>): Programs<EffectMap> {
  const host = codeHost(site, given);
  const run: Program<EffectMap> = async (durable, json, signal = new AbortController().signal) => {
    const input = json as unknown as CodeInput;
    const workflow = await workflowOf(site, input);
    if (typeof workflow === 'string') {
      const failed: CodeOutput = { failure: { type: 'program-error', message: workflow }, retryKeys: [] };
      return failed as unknown as JsonValue;
    }
    const here = { ...input, workspace: site.workspace };
    return (await runCode({ workflow, input: here, durable, signal, host })) as unknown as JsonValue;
  };
  return { [CODE_PROGRAM]: run };
}

/** What programs in code need to call workflow files. */
export function codeHost(site: Site, given: Omit<CodeHost, 'callFile'>): CodeHost {
  return {
    ...given,
    callFile: async (call, asked) =>
      (await import('../../operations/workflows/call-file.ts')).callFile(site, call, asked),
  };
}

/** The workflow, or why there is none. */
async function workflowOf(site: Site, input: CodeInput): Promise<Workflow | string> {
  const { file, name, runId, sources, asStarted } = input;
  if (file === undefined)
    return site.inline?.find((each) => each.name === name) ?? `the workflow \`${name}\` was not given`;
  const loaded = await loadPlanned(site, { file, runId, sources, ...defined({ asStarted }) });
  return typeof loaded === 'string' ? loaded : loaded.workflow;
}
