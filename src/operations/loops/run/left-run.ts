import fs from 'node:fs';
import type { AgentChoice } from '../../../effects/contracts.ts';
import { lastInput } from '../../../engine/last-input.ts';
import type { IterateInput } from '../../../iterate/input.ts';
import type { RunOptions } from '../../../iterate/run-options.ts';
import type { Metadata } from '../../../iterate/workspace/metadata.ts';
import { defined } from '../../../model/defined.ts';
import { parseRunId } from '../../../model/ids.ts';
import { runPaths } from '../../../store/layout.ts';
import { quoteWords } from '../../../template/quote.ts';
import { type ReadRun, readRunById } from '../../runs/read-run.ts';
import type { Site } from '../../site.ts';

export interface LeftRun {
  /** The workspace's last run, if it was killed or interrupted, or waits for an answer. */
  readonly run?: ReadRun;
  /** Why an unfinished run cannot be resumed. */
  readonly damage?: string;
}

export function findLeftRun(site: Site, metadata: Metadata): LeftRun {
  const runId = parseRunId(metadata.run?.id ?? '');
  if (runId === undefined || !fs.existsSync(runPaths(site.workspace, runId).journal)) return {};
  const read = readRunById(site, runId);
  if (read.type === 'error')
    return read.error.type === 'damaged-run' ? { damage: read.error.damage.message } : {};
  const run = read.value;
  if (run.damage !== undefined) return { damage: run.damage.message };
  const { status } = run.state;
  const isLeft = status === 'running' || status === 'interrupted' || status === 'waiting';
  return isLeft && inputOf(run).dryRun !== true ? { run } : {};
}

/** Its input when it was started or last resumed. */
export function inputOf({ milestones }: Pick<ReadRun, 'milestones'>): IterateInput {
  return lastInput(milestones) as unknown as IterateInput;
}

/** The options it was started with. Runs of earlier versions recorded only their effect. */
export function optionsOf(input: IterateInput): RunOptions {
  if (input.given !== undefined) return input.given;
  const { budgetUsd } = input as { readonly budgetUsd?: number };
  const { maxIterations, stagnationThreshold, timeoutMs, permissions } = input;
  return defined({
    ...{ maxIterations, stagnationThreshold, timeoutMs, agent: agentName(input.agent) },
    delay: input.delayMs / 1000,
    budget: budgetUsd === undefined ? undefined : { usd: budgetUsd },
    skipsPermissions: permissions === 'bypass' ? true : undefined,
  });
}

function agentName(choice: AgentChoice): string | undefined {
  if (choice.type === 'builtin') return choice.adapter === 'mock' ? undefined : choice.adapter;
  return quoteWords(choice.argv.filter((word) => typeof word === 'string'));
}
