/** Turns the input of a workflow in code into the plan of its run. */
import { CODE_PROGRAM, type CodeInput } from '../../code/input.ts';
import { lastInput } from '../../engine/last-input.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Result } from '../../model/result.ts';
import { ANY_FOLDER, type Definition } from '../definitions/definition.ts';
import { planNewRun } from '../definitions/plan-run.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import type { ReadRun } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import type { LoadedCode } from './load-code.ts';

export interface NewCodeRun {
  readonly input: CodeInput;
  readonly loaded: LoadedCode;
  /** For a fork: the run it reuses, and the reused records. */
  readonly fork?: { readonly from: RunId; readonly shared: readonly JournalEvent[] };
}

export function planNewCode(site: Site, { input, loaded, fork }: NewCodeRun): Result<Prepared, Problem> {
  return planNewRun(site, {
    definition: definitionOfCode(loaded),
    program: CODE_PROGRAM,
    facts: codeFacts(loaded, input),
    ...{ input, warnings: loaded.warnings },
    ...defined({ fork }),
  });
}

export function definitionOfCode(loaded: LoadedCode): Definition {
  const { workflow, file, sources, checksum, secrets, agents } = loaded;
  return {
    ...{ title: workflow.name, file, checksum, secrets, ...defined({ description: workflow.description }) },
    sources: digestsOf(sources),
    agentsOf: (instead) => (instead === undefined ? agents : [...agents, instead]),
    agentFolders: [ANY_FOLDER],
    // What it does after a cancellation is known only when it runs.
    tidiesUp: false,
  };
}

export function digestsOf(sources: LoadedCode['sources']): Definition['sources'] {
  return sources.map(({ file, digest }) => ({ file, digest }));
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
