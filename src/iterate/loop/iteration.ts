import { defined } from '../../model/defined.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import { agentInput, agentOptions, spentOn } from '../agent/agent-call.ts';
import { dryIteration } from '../agent/dry-run.ts';
import { iterationPrompt, statusInstructions, systemPrompt } from '../prompts/iteration.ts';
import { withPlace } from '../prompts/place.ts';
import { FILES, pathsIn } from '../workspace/layout.ts';
import { judge } from './judge.ts';
import { type LoopEnd, type LoopState, runField, set, updateMetadata } from './loop-state.ts';
import { readProgress } from './progress.ts';

/** One may be bad luck; a third would only cost money. */
const MOST_DENIED_IN_VAIN = 2;

/** Calls the agent once, then reads, counts and judges the result. Undefined: the loop continues. */
export async function runIteration(state: LoopState, key: StepKey): Promise<LoopEnd | undefined> {
  const { durable, input } = state;
  const number = state.iteration + 1;
  const { status: statusPath, stop } = pathsIn(input.workspacePath);
  const dry = input.dryRun === true ? dryIteration(input.mode, number, statusPath) : undefined;
  const mayBeDenied = input.permissions !== 'bypass' && dry === undefined;
  const watchesWork = mayBeDenied || (input.mode === 'iterative' && input.stagnationThreshold > 0);
  const treeBefore = watchesWork ? await treeDigest(state, sideKey(key, 'tree-before')) : undefined;
  const stepped = await durable.step(
    key,
    'run-agent',
    agentInput(input, { ...promptsFor(state), ...(dry === undefined ? {} : { agent: dry.agent }) }),
    agentOptions(input, stop),
  );
  state.spent.push(...spentOn(stepped));
  if (stepped.stopped === true) return { stopReason: 'stopped' };
  const { failure } = stepped.output;
  if (failure !== undefined) return { stopReason: 'failed', failure, failedStep: key, retryKeys: [key] };
  delete state.findings;
  if (dry !== undefined) await writeStatus(state, key, dry.status);
  const progress = await readProgress(durable, key, input.workspacePath);
  const treeAfter = watchesWork ? await treeDigest(state, sideKey(key, 'tree-after')) : undefined;
  // I4
  const worked = progress.worked !== false || treeBefore !== treeAfter;
  const { denied } = stepped.output;
  // I5
  const gotSomewhere = progress.complete || progress.mark !== state.mark || treeBefore !== treeAfter;
  state.iteration = number;
  state.noWork = worked ? 0 : state.noWork + 1;
  state.deniedInVain = denied === undefined || gotSomewhere ? 0 : state.deniedInVain + 1;
  state.mark = progress.mark;
  const counted = sideKey(key, 'metadata');
  const failed = await updateMetadata(state, counted, [set(['run'], runField(input, state, progress))]);
  if (failed !== undefined)
    return { stopReason: 'failed', failure: failed, failedStep: key, retryKeys: [counted] };
  if (denied !== undefined && state.deniedInVain >= MOST_DENIED_IN_VAIN)
    return { stopReason: 'failed', failure: { type: 'agent', outcome: denied }, failedStep: key };
  return judge(state, key, progress);
}

function promptsFor(state: LoopState): { readonly prompt: string; readonly systemPrompt: string } {
  const { input, findings } = state;
  const own =
    input.statusInstructions === undefined ? '' : `\n\n${withPlace(input.statusInstructions, input)}`;
  return {
    systemPrompt: systemPrompt(input.mode, input),
    prompt: iterationPrompt({
      instructions: input.instructions,
      status: `${statusInstructions(input.mode, input)}${own}`,
      ...defined({ findings }),
    }),
  };
}

/** Undefined if unknown; unknown does not count as work. */
async function treeDigest({ durable, input }: LoopState, key: StepKey): Promise<string | undefined> {
  const { output } = await durable.step(key, 'digest-tree', { except: [input.workspacePath] });
  return output.digest;
}

/** In a dry run the program writes the files that an agent would write. */
async function writeStatus({ durable, input }: LoopState, key: StepKey, status: JsonObject): Promise<void> {
  const lastUpdated = await durable.now(sideKey(key, 'dry-at'));
  await durable.step(sideKey(key, 'dry-status'), 'update-document', {
    root: input.workspacePath,
    path: FILES.status,
    create: {},
    changes: Object.entries({ ...status, lastUpdated }).map(([name, value]) => set([name], value ?? null)),
  });
}
