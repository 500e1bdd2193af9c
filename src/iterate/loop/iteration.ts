import type { RunAgentOutput } from '../../effects/contracts.ts';
import { charge } from '../../engine/ledger.ts';
import { defined } from '../../model/defined.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import type { JsonObject } from '../../model/json.ts';
import { callAgent } from '../agent/agent-call.ts';
import { dryIteration } from '../agent/dry-run.ts';
import { answersText, statusFindings } from '../prompts/findings.ts';
import { iterationPrompt, statusInstructions, systemPrompt } from '../prompts/iteration.ts';
import { withPlace } from '../prompts/place.ts';
import { type Words, words } from '../prompts/words.ts';
import { FILES, pathsIn } from '../workspace/layout.ts';
import { lookAfter, lookBefore } from './changed-files.ts';
import { judge } from './judge.ts';
import { budgetFailure, cutShortBy, withinTime } from './limits.ts';
import { type LoopEnd, type LoopState, placeOf, runField, set, updateMetadata } from './loop-state.ts';
import { checkpoint } from './own-tree.ts';
import { progressOf, readProgress } from './progress.ts';
import { askPerson } from './questions.ts';

/** One may be bad luck; a third would only cost money. */
const MOST_DENIED_IN_VAIN = 2;

/** Calls the agent once, then reads, counts and judges the result. Undefined: the loop continues. */
export async function runIteration(
  state: LoopState,
  key: StepKey,
  allowed: { readonly maxBudgetUsd?: number },
): Promise<LoopEnd | undefined> {
  const { durable, input } = state;
  const number = state.iteration + 1;
  const { status: statusPath, stop } = pathsIn(input.workspacePath);
  const dry = input.dryRun === true ? dryIteration(input.mode, number, statusPath) : undefined;
  const before = dry === undefined ? await lookBefore(state, key) : {};
  const { stepped, spent, keys } = await callAgent(durable, key, {
    task: input,
    ...promptsFor(state),
    agent: dry?.agent,
    within: {
      ...{ ...allowed, ...withinTime(state), stopFile: stop, resting: state.resting },
      ...defined({ cwd: state.cwd }),
    },
  });
  for (const each of spent) charge(state.ledger, each);
  if (stepped.stopped === true) return { stopReason: 'stopped' };
  const { failure, denied } = stepped.output;
  const cutBy = failure === undefined ? undefined : cutShortBy(state, failure);
  if (failure !== undefined && cutBy === undefined)
    return {
      ...{ stopReason: 'failed', failure, failedStep: key, retryKeys: keys },
      ...defined({ said: lastWords(stepped.output) }),
    };
  delete state.findings;
  delete state.statusProblem;
  delete state.answered;
  if (dry !== undefined && !state.keepsStatus) await writeStatus(state, key, dry.status);
  const root = input.workspacePath;
  const progress =
    dry !== undefined && state.keepsStatus
      ? await progressOf(durable, key, { root, text: JSON.stringify(dry.status) })
      : await readProgress(durable, key, root);
  // I4
  const changed = await lookAfter(state, key, before);
  const worked = progress.worked !== false || changed.isOwn;
  // I5, I6
  const gotSomewhere = progress.complete || progress.mark !== state.mark || changed.isOwn;
  state.iteration = number;
  state.noWork = worked ? 0 : state.noWork + 1;
  state.deniedInVain = denied === undefined || gotSomewhere ? 0 : state.deniedInVain + 1;
  state.timedOut = cutBy !== 'time' || gotSomewhere ? 0 : state.timedOut + 1;
  state.mark = progress.mark;
  if (changed.tree !== undefined) state.tree = changed.tree;
  if (progress.summary !== undefined) state.summary = progress.summary;
  if (progress.problem !== undefined) state.statusProblem = progress.problem;
  const counted = sideKey(key, 'metadata');
  const run = runField(input, state, { progress, ...defined({ cutBy }) });
  const failed = await updateMetadata(state, counted, [set(['run'], run)]);
  if (failed !== undefined)
    return { stopReason: 'failed', failure: failed, failedStep: key, retryKeys: [counted] };
  // For a rollback; the status is recorded already.
  if (changed.tree !== undefined)
    await durable.step(sideKey(key, 'list'), 'read-file', { root: input.workspacePath, path: FILES.todo });
  await checkpoint(state, key, { before: before.tree, after: changed.tree });
  if (denied !== undefined && state.deniedInVain >= MOST_DENIED_IN_VAIN)
    return { stopReason: 'failed', failure: { type: 'agent', outcome: denied }, failedStep: key };
  if (failure !== undefined && state.timedOut >= input.retry.maxAttempts)
    return { stopReason: 'failed', failure, failedStep: key };
  const end = await judge(state, key, progress);
  if (end === undefined && progress.questions.length > 0) {
    const unasked = await askPerson(state, key, progress.questions);
    if (unasked !== undefined)
      return {
        stopReason: 'failed',
        failure: unasked,
        failedStep: key,
        retryKeys: [sideKey(key, 'waiting')],
      };
  }
  if (failure !== undefined && cutBy === 'budget' && end === undefined)
    return { stopReason: 'budget', failure: budgetFailure(state, failure) };
  return end;
}

const LONGEST_WORDS = 300;

/** For a failure that has no message: the last line that the agent printed. */
function lastWords({ failure, stderrTail, stdoutTail }: RunAgentOutput): string | undefined {
  const outcome = failure?.type === 'agent' ? failure.outcome : failure;
  if (outcome === undefined || 'message' in outcome) return undefined;
  const lines = (stderrTail?.trim() || stdoutTail?.trim() || '').split('\n');
  return lines.at(-1)?.trim().slice(0, LONGEST_WORDS) || undefined;
}

function promptsFor(state: LoopState): { readonly prompt: Words; readonly systemPrompt: Words } {
  const { input, findings, statusProblem, answered } = state;
  const place = placeOf(state);
  const front = [
    ...(statusProblem === undefined
      ? []
      : [statusFindings(statusProblem, pathsIn(input.workspacePath).status)]),
    ...(findings === undefined ? [] : [findings]),
    ...(answered === undefined ? [] : [answersText(answered)]),
  ];
  const own =
    input.statusInstructions === undefined ? '' : words`\n\n${withPlace(input.statusInstructions, place)}`;
  return {
    systemPrompt: systemPrompt(input.mode, place),
    prompt: iterationPrompt({
      instructions: state.instructions,
      status: words`${statusInstructions(input.mode, place)}${own}`,
      front,
    }),
  };
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
