/** Turns a definition and the input of a run into its plan. Shared by start, run-step, fork, restart and resume of both kinds of workflow. */
import type { CassetteUse } from '../../effects/agent/run-agent.ts';
import { defined } from '../../model/defined.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { NotifyChannel } from '../../model/notify.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { NotTrusted, Problem } from '../problem.ts';
import type { Prepared, RunPlan } from '../run-plan.ts';
import type { Site } from '../site.ts';
import { mayStartAgents } from '../trust/agent-settings.ts';
import type { Definition } from './definition.ts';
import { leakIn } from './leaked-secret.ts';

/** What the inputs of both programs have. */
export interface RunInput {
  readonly runId: RunId;
  readonly options: { readonly agent?: string; readonly dryRun?: boolean };
  readonly cassette?: CassetteUse;
}

export interface NewRun {
  readonly definition: Definition;
  readonly program: string;
  readonly input: RunInput;
  readonly facts: JsonObject;
  readonly warnings: readonly Diagnostic[];
  readonly notify?: readonly NotifyChannel[];
  /** For a fork: the run it reuses, and the reused records. */
  readonly fork?: { readonly from: RunId; readonly shared: readonly JournalEvent[] };
}

/** Plans a new run, unless it would write a secret to a file or its agents' settings are not trusted. */
export function planNewRun(site: Site, run: NewRun): Result<Prepared, Problem> {
  const { definition, program, input, facts, warnings, notify = [], fork } = run;
  const leak = leakIn(site, { input, secrets: definition.secrets });
  if (leak !== undefined) return error(leak);
  const may = mayStart(site, definition, input);
  if (may.type === 'error') return may;
  return ok({
    plan: {
      ...planOfRun(site, definition, input),
      ...(notify.length === 0 ? {} : { notify }),
      begin: {
        ...{ type: 'new', program, input: input as unknown as JsonValue },
        facts: { ...facts, ...(fork === undefined ? {} : { forked_from: fork.from }) },
        ...(fork === undefined ? {} : { shared: fork.shared }),
      },
    },
    ...(fork === undefined ? {} : { earlier: fork.shared }),
    warnings,
  });
}

/** Everything except how it starts. */
export function planOfRun(
  { workspace }: Site,
  { title, secrets, tidiesUp, file, notifies, alsoFiles = [] }: Omit<Definition, 'checksum' | 'sources'>,
  { runId, cassette }: RunInput,
): Omit<RunPlan, 'begin'> {
  const notifyFile = notifies === true ? file : undefined;
  return {
    ...{ runId, workspace, kind: 'workflow', title, secrets, tidiesUp },
    ...defined({ cassette, notifyFile, alsoFiles: alsoFiles.length === 0 ? undefined : alsoFiles }),
  };
}

/** Dry runs and replays start no agents. */
export function mayStart(
  site: Site,
  definition: Pick<Definition, 'agentsOf' | 'agentFolders'>,
  { options, cassette }: RunInput,
): Result<void, NotTrusted> {
  if (options.dryRun === true || cassette?.type === 'replay') return ok(undefined);
  return mayStartAgents(site, definition.agentsOf(options.agent), definition.agentFolders);
}
