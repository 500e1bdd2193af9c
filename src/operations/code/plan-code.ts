/** Turns the input of a workflow in code into the plan of its run. */
import { CODE_PROGRAM, type CodeInput } from '../../code/input.ts';
import { lastInput } from '../../engine/last-input.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Prepared, RunPlan } from '../run-plan.ts';
import type { ReadRun } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { mayStartAgents } from '../trust/agent-settings.ts';
import { leakIn } from '../workflows/leaked-secret.ts';
import type { LoadedCode } from './load-code.ts';

export interface NewCodeRun {
  readonly input: CodeInput;
  readonly loaded: LoadedCode;
  /** For a fork: the run it reuses, and the reused records. */
  readonly fork?: { readonly from: RunId; readonly shared: readonly JournalEvent[] };
}

/** Plans a new run, unless it would write a secret to a file or its agents' settings are not trusted. */
export function planNewCode(site: Site, { input, loaded, fork }: NewCodeRun): Result<Prepared, Problem> {
  const leak = leakIn(site, { input, secrets: loaded.secrets });
  if (leak !== undefined) return error(leak);
  const may = mayStartAgentsOf(site, input, loaded);
  if (may.type === 'error') return may;
  return ok({
    plan: {
      ...planOfCode(site, input, loaded),
      begin: {
        type: 'new',
        program: CODE_PROGRAM,
        input: input as unknown as JsonValue,
        facts: { ...codeFacts(loaded, input), ...(fork === undefined ? {} : { forked_from: fork.from }) },
        ...(fork === undefined ? {} : { shared: fork.shared }),
      },
    },
    ...(fork === undefined ? {} : { earlier: fork.shared }),
    warnings: loaded.warnings,
  });
}

/** Everything except how it starts. */
export function planOfCode(
  { workspace }: Site,
  { runId, cassette }: CodeInput,
  { workflow, secrets }: LoadedCode,
): Omit<RunPlan, 'begin'> {
  return {
    ...{ runId, workspace, kind: 'workflow', title: workflow.name, secrets },
    ...defined({ cassette }),
  };
}

export function mayStartAgentsOf(
  site: Site,
  { cassette, options }: CodeInput,
  { agents }: LoadedCode,
): Result<void, Problem> {
  if (cassette?.type === 'replay') return ok(undefined);
  return mayStartAgents(site, options.agent === undefined ? agents : [...agents, options.agent]);
}

export function codeFacts({ workflow, file, checksum }: LoadedCode, { input }: CodeInput): JsonObject {
  return {
    workflow_file: file,
    workflow_checksum: checksum,
    ...defined({ description: workflow.description }),
    input,
  };
}

/** The input as it was started, or as last changed. */
export function codeInputOf({ milestones }: Pick<ReadRun, 'milestones'>): CodeInput {
  return lastInput(milestones) as unknown as CodeInput;
}

export function isCodeRun({ started }: Pick<ReadRun, 'started'>): boolean {
  return started.program === CODE_PROGRAM;
}
