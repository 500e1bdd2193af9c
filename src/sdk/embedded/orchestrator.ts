/** The door for programs: turns calls into operations, and carries out the plans in this process. It leaves signals and output to its host. */
import fs from 'node:fs';
import type { Workflow } from '../../code/written/workflow.ts';
import { modulesOf } from '../../host/modules.ts';
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { Result } from '../../model/result.ts';
import { loadValue } from '../../operations/code/load-code.ts';
import { startLoaded } from '../../operations/code/start-code.ts';
import type { Problem } from '../../operations/problem.ts';
import { resumeRun } from '../../operations/resuming/resume-run.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import { answerQuestion } from '../../operations/runs/answer-question.ts';
import { hasAnswer } from '../../operations/runs/has-answer.ts';
import { readWholeRun } from '../../operations/runs/read-run.ts';
import { selectRuns, summaryOf } from '../../operations/runs/select-runs.ts';
import type { Site } from '../../operations/site.ts';
import { startFile } from '../../operations/starting/start-file.ts';
import { createTrustBook } from '../../operations/trust-book.ts';
import { cancelAnyRun } from '../../operations/workflows/cancel-any-run.ts';
import type { Surroundings } from '../embed.ts';
import { OrchestrateError } from '../errors.ts';
import type {
  ApproveOptions,
  Orchestrator,
  OrchestratorOptions,
  ResumeOptions,
  Run,
  RunSummary,
  StartOptions,
} from '../orchestrator-types.ts';
import { checkOptions } from './given-options.ts';
import { orThrow } from './refusal.ts';
import { CarriedRun, type Carrying } from './run.ts';

export function createOrchestrator(options: OrchestratorOptions, around: Surroundings): Orchestrator {
  checkOptions('createOrchestrator', options);
  const inline = [...(options.workflows ?? [])] as Workflow[];
  const site = siteOf(options, around, inline);
  /** What this process runs, by id. */
  const runs = new Map<string, CarriedRun>();
  let isClosed = false;

  const carrying: Carrying = {
    ...{ site, dist: around.dist },
    ...{ onEvent: options.onEvent, onProblem: options.onProblem },
    state: (runId) => orThrow(readWholeRun(site, runId)).state,
    continued: async (runId) => (hasAnswer(site, runId) ? resumeRun(site, { run: runId }) : undefined),
  };

  const approve = async (
    run: string,
    question: string,
    choice: string,
    given: ApproveOptions = {},
  ): Promise<void> => {
    checkOptions('approve', given);
    const { by, comment, values } = given;
    orThrow(answerQuestion(site, { run, question, choice, ...defined({ by, comment, values }) }));
  };

  const cancel = async (run: string): Promise<void> => {
    const here = runs.get(run);
    if (here !== undefined) {
      here.stop({ type: 'cancelled' });
      await here.ended;
      return;
    }
    const asked = orThrow(await cancelAnyRun(site, run));
    if (asked.type === 'finally-planned') await (await carry(asked.prepared)).done;
  };

  const carry = async (prepared: Prepared): Promise<Run<never>> => {
    if (isClosed) throw closed();
    const { runId } = prepared.plan;
    if (runs.has(runId)) throw runsHere(runId);
    const carried = new CarriedRun(prepared, carrying);
    runs.set(runId, carried);
    const forget = () => void (runs.get(runId) === carried && runs.delete(runId));
    carried.ended.then(forget, forget);
    await carried.begun;
    return {
      id: runId,
      events: { [Symbol.asyncIterator]: () => carried.feed.read() },
      get done() {
        carried.feed.letGo();
        return carried.ended as Promise<never>;
      },
      approve: (question, choice, given) => approve(runId, question, choice, given),
      cancel: () => cancel(runId),
    };
  };

  const start = async (
    asked: string | Workflow,
    input: unknown = {},
    started: StartOptions = {},
  ): Promise<Run<never>> => {
    checkOptions('start', started);
    return carry(orThrow(await prepare(site, { asked, input, started, inline })));
  };

  return {
    start: start as Orchestrator['start'],
    async resume(run: string, given: ResumeOptions = {}) {
      checkOptions('resume', given);
      const { acceptChanges, asStarted } = given;
      const resumed = await resumeRun(site, {
        run,
        acceptsChanges: acceptChanges === true,
        asStarted: asStarted === true,
      });
      return carry(orThrow(resumed));
    },
    async list({ status, limit = 0 } = {}) {
      const { found } = orThrow(selectRuns(site, { limit, ...defined({ status }) }));
      return found.map(summaryOf) as readonly RunSummary[];
    },
    show: async (run) => orThrow(readWholeRun(site, run)).state,
    approve,
    cancel,
    async close() {
      isClosed = true;
      const open = [...runs.values()];
      for (const run of open) run.stop({ type: 'interrupted', signal: 'SIGTERM' });
      await Promise.allSettled(open.map(({ ended }) => ended));
    },
  };
}

function runsHere(runId: string): OrchestrateError {
  return new OrchestrateError({
    ...{ kind: 'held', type: 'held-run', message: `run \`${runId}\` is already running in this process` },
  });
}

function closed(): OrchestrateError {
  return new OrchestrateError({
    ...{ kind: 'conflict', type: 'orchestrator-closed', message: 'the orchestrator is closed' },
    help: 'create another one with `createOrchestrator`',
  });
}

function siteOf(
  { workspace = process.cwd() }: OrchestratorOptions,
  around: Surroundings,
  inline: readonly Workflow[],
): Site {
  let real: string;
  try {
    real = fs.realpathSync(workspace);
  } catch {
    throw new OrchestrateError({
      ...{ kind: 'not-found', type: 'no-workspace', message: `no such folder: \`${workspace}\`` },
    });
  }
  return {
    ...{ workspace: real, environment: process.env, asker: 'user', inline },
    trust: createTrustBook(process.env),
    modules: modulesOf(around),
    now: () => new Date(),
  };
}

interface Asked {
  readonly asked: string | Workflow;
  readonly input: unknown;
  readonly started: StartOptions;
  readonly inline: Workflow[];
}

/** A file of either kind, or a value. */
async function prepare(
  site: Site,
  { asked, input, started, inline }: Asked,
): Promise<Result<Prepared, Problem>> {
  const options = defined({ agent: started.agent });
  if (typeof asked !== 'string') {
    const loaded = await loadValue(asked);
    if (loaded.type === 'error') return loaded;
    const at = inline.findIndex(({ name }) => name === asked.name);
    if (at === -1) inline.push(asked);
    else inline[at] = asked;
    return startLoaded(site, loaded.value, { input: input as JsonValue, options });
  }
  const context = isJsonObject(input as JsonValue) ? (input as JsonObject) : {};
  return startFile(site, { file: asked, context, options });
}
