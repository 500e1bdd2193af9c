/** Runs a workflow in a temporary folder with stand-ins for the world, and again as if it had been killed. */

import { describeDivergence } from '../../code/replay/describe-divergence.ts';
import type { Workflow } from '../../code/written/workflow.ts';
import { modulesOf } from '../../host/modules.ts';
import { defined } from '../../model/defined.ts';
import { isShown } from '../../model/effect.ts';
import type { RunEvent } from '../../model/event.ts';
import { loadedWorkflow, loadValue } from '../../operations/code/load-code.ts';
import { codeInputOf } from '../../operations/code/plan-code.ts';
import { startLoaded } from '../../operations/code/start-code.ts';
import { checkCode } from '../../operations/resuming/resume-code.ts';
import { readWholeRun } from '../../operations/runs/read-run.ts';
import type { Site } from '../../operations/site.ts';
import { createTrustBook } from '../../operations/trust-book.ts';
import type { Surroundings } from '../embed.ts';
import { orThrow } from '../embedded/refusal.ts';
import type { TestedWorkflow, TestOptions } from '../testing-types.ts';
import { checkTestOptions } from './given-stand-ins.ts';
import { killedAfter } from './kill-at-every-record.ts';
import { type Rehearsing, rehearse } from './rehearse.ts';
import { mainKey } from './stand-ins.ts';
import { temporaryWorkspace } from './temporary-workspace.ts';

export async function testWorkflow(
  given: Workflow,
  options: TestOptions<unknown>,
  around: Surroundings,
): Promise<TestedWorkflow<never>> {
  checkTestOptions(options);
  orThrow(await loadValue(given));
  const workflow = withNamedAgents(given);
  const folder = temporaryWorkspace(options.files ?? {});
  const now = new Date().toISOString();
  const site: Site = {
    ...{ workspace: folder, environment: process.env, asker: 'user', inline: [workflow] },
    trust: createTrustBook(process.env),
    modules: modulesOf(around),
    now: () => new Date(now),
  };
  const rehearsing: Rehearsing = { site, dist: around.dist, options, now };
  const loaded = loadedWorkflow(workflow, { file: workflow.name, sources: [], warnings: [] });
  const prepared = orThrow(await startLoaded(site, loaded, { input: options.input as never }));
  const { end, events } = await rehearse(prepared, rehearsing);
  const { runId } = prepared.plan;
  return {
    status: end.status,
    output: (end.status === 'completed' ? end.output : undefined) as never,
    failure: end.status === 'failed' ? end.failure : undefined,
    questions: end.status === 'waiting' ? end.questions : [],
    ...{ keys: keysIn(events), events, folder },
    killAtEveryCall: () => killedAfter(runId, { ...rehearsing, end }),
    async replay() {
      const run = orThrow(readWholeRun(site, runId));
      const recorded = { ...run, input: codeInputOf(run) };
      const divergence = await checkCode(site, recorded, loaded);
      if (divergence === undefined) return;
      throw new Error(
        [`the replay of \`${workflow.name}\` differs`, ...describeDivergence(divergence)].join('\n  '),
      );
    },
  };
}

/** An agent that is declared is known by its name: its calls become those of a command of that name. */
function withNamedAgents(workflow: Workflow): Workflow {
  const agents = Object.entries(workflow.agents ?? {}).map(([name, { fallback, timeout, tools }]) => [
    name,
    { command: [name], adapter: 'plain' as const, ...defined({ fallback, timeout, tools }) },
  ]);
  return Object.freeze({ ...workflow, agents: Object.fromEntries(agents) });
}

/** In the order in which they began. */
function keysIn(events: readonly RunEvent[]): readonly string[] {
  const begun = events.flatMap((event) => {
    const isCall =
      (event.type === 'step-started' && isShown(event.effect)) ||
      event.type === 'question-asked' ||
      event.type === 'sleep-started';
    return isCall ? [mainKey(event.key)] : [];
  });
  return [...new Set(begun)];
}
