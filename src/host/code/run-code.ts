/** The program `code` in this process: loads the files of the workflow, keeps copies of them with the run, and runs it. */
import { dirname } from 'node:path';
import { CODE_PROGRAM, type CodeInput, type CodeOutput } from '../../code/input.ts';
import type { CodeHost } from '../../code/run/execution.ts';
import { runCode } from '../../code/run/program.ts';
import type { Workflow } from '../../code/written/workflow.ts';
import type { EffectMap } from '../../effects/contracts.ts';
import type { Program, Programs } from '../../engine/durable.ts';
import type { JsonValue } from '../../model/json.ts';
import { loadCode } from '../../operations/code/load-code.ts';
import type { Site } from '../../operations/site.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { runPaths } from '../../store/layout.ts';
import { makeFolder } from '../../store/make-folder.ts';

export function codePrograms(site: Site, given: Omit<CodeHost, 'callFile'>): Programs<EffectMap> {
  const host: CodeHost = {
    ...given,
    callFile: async (call, asked) =>
      (await import('../../operations/code/call-file.ts')).callFile(site, call, asked),
  };
  const run: Program<EffectMap> = async (durable, json, signal = new AbortController().signal) => {
    const input = json as unknown as CodeInput;
    const workflow = await workflowOf(site, input);
    if (typeof workflow === 'string') {
      const failed: CodeOutput = { failure: { type: 'program-error', message: workflow }, retryKeys: [] };
      return failed as unknown as JsonValue;
    }
    return runCode({ workflow, input, durable, signal, host });
  };
  return { [CODE_PROGRAM]: run };
}

/** The workflow, or why there is none: its files were loaded to plan the run, and have changed since. */
async function workflowOf(site: Site, input: CodeInput): Promise<Workflow | string> {
  const { file, name, runId, asStarted } = input;
  if (file === undefined)
    return site.inline?.find((each) => each.name === name) ?? `the workflow \`${name}\` was not given`;
  const { program } = runPaths(site.workspace, runId);
  const loaded = await loadCode(site, file, asStarted === true ? { copies: program } : {});
  if (loaded.type === 'error') return loaded.error.diagnostics.map(({ message }) => message).join('; ');
  const { sources, workflow } = loaded.value;
  const isSame =
    sources.length === input.sources.length &&
    sources.every(({ file, digest }) =>
      input.sources.some((each) => each.file === file && each.digest === digest),
    );
  if (!isSame) return `\`${file}\` was changed while the run began`;
  if (asStarted !== true) {
    for (const source of sources) {
      const copy = `${program}/${source.file}`;
      makeFolder(dirname(copy), 0o700);
      replaceFile(copy, source.bytes, { mode: 0o600 });
    }
  }
  return workflow;
}
