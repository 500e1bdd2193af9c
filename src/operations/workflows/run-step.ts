/** Runs a single step of a workflow, with the results of an earlier run. */
import { recordsIn } from '../../engine/records-in.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import type { WorkflowDefinition } from '../../workflow/definition.ts';
import { stepsWithReadResults } from '../../workflow/results.ts';
import type { RunStep } from '../definitions/asked.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { readWholeRun } from '../runs/read-run.ts';
import { newRunId } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import type { LoadedFile } from './load.ts';
import { missingResults } from './missing-results.ts';
import { planNew } from './plan-workflow.ts';

export function runStepOf(
  site: Site,
  loaded: LoadedFile,
  { step, fromRun }: Omit<RunStep, 'file'>,
): Result<Prepared, Problem> {
  const { definition } = loaded;
  const names = [...definition.steps, ...definition.finally].map(({ name }) => name);
  if (!names.includes(step)) {
    const inside = holderOf(definition, step);
    if (inside !== undefined) return error({ type: 'step-inside-another', step, inside });
    const near = nearest(step, names);
    return error({ type: 'no-step-in-file', step, file: definition.file, near, steps: names });
  }
  const records = fromRun === undefined ? ok({}) : recordsOf(site, { run: fromRun, definition });
  if (records.type === 'error') return records;
  const missing = missingResults(definition, { step, records: records.value });
  if (missing.length > 0) return error(withoutResults({ step, missing, fromRun }));
  return planNew(site, {
    input: {
      runId: newRunId(site.workspace),
      workspace: site.workspace,
      definition,
      context: loaded.context,
      options: {},
      only: { step, records: records.value },
    },
    loaded,
  });
}

/** The step of the top level that has it inside. A key as views show it is understood too: `Each/0/Use`. */
function holderOf({ steps, finally: last }: WorkflowDefinition, asked: string): string | undefined {
  const name = asked.slice(asked.lastIndexOf('/') + 1);
  return [...steps, ...last].find((step) => hasInside(step, name))?.name;
}

/** Where a definition has the steps of a block. */
const LISTS: ReadonlySet<string> = new Set(['steps', 'branches', 'nodes']);

function isNamed(step: unknown, name: string): boolean {
  return (step as { readonly name?: unknown }).name === name || hasInside(step, name);
}

function hasInside(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => {
    if (key === 'step') return isNamed(each, name);
    if (!LISTS.has(key) || !Array.isArray(each)) return false;
    return each.some((one: unknown) => (key === 'steps' ? isNamed(one, name) : hasInside(one, name)));
  });
}

/** Resuming would not help: the run has only this step. */
function withoutResults(of: {
  readonly step: string;
  readonly missing: readonly string[];
  readonly fromRun: string | undefined;
}): Problem {
  const { step, missing, fromRun } = of;
  return fromRun === undefined
    ? { type: 'missing-results', step, missing }
    : { type: 'missing-results', step, missing, fromRun };
}

function recordsOf(
  site: Site,
  { run: asked, definition }: { readonly run: string; readonly definition: WorkflowDefinition },
): Result<ReturnType<typeof recordsIn>, Problem> {
  const run = readWholeRun(site, asked);
  return run.type === 'ok' ? ok(recordsIn(run.value.events, stepsWithReadResults(definition))) : run;
}
