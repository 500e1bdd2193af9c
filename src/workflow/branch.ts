import type { OrchestrateDurable } from '../effects/contracts.ts';
import type { BranchCall, BranchResult } from '../engine/durable.ts';
import type { StepKey } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { StepRecord } from '../model/record.ts';
import {
  type Block,
  type BlockEnd,
  type LoopVariables,
  type RunFacts,
  type RunOptions,
  visibleRecords,
} from './block.ts';
import { addSpending, type Ledger, type Spending, spendingOf } from './budget.ts';
import type { Step, WorkflowDefinition } from './definition.ts';
import { endItem, type ItemMoves } from './end-item.ts';
import { runSteps } from './run-steps.ts';

/** The name under which the engine knows `runBranch`. */
export const BRANCH_PROGRAM = 'workflow-branch';

/** All that a list of steps needs to run on its own, perhaps elsewhere. */
interface BranchInput {
  readonly definition: WorkflowDefinition;
  readonly steps: readonly Step[];
  readonly wholePath: string;
  readonly outer: { readonly [name: string]: StepRecord };
  readonly context: JsonObject;
  readonly loop?: LoopVariables;
  readonly run: RunFacts;
  readonly options: RunOptions;
  readonly ledger: Ledger;
  readonly moves?: ItemMoves;
}

export interface BranchOutput {
  readonly end: BlockEnd;
  readonly spending: Spending;
  readonly records: { readonly [name: string]: StepRecord };
}

export interface Branch {
  /** Whole key within the block's own `durable`. */
  readonly key: StepKey;
  readonly wholePath: string;
  readonly steps: readonly Step[];
  readonly loop?: LoopVariables;
  /** The branch is an item of a loop. */
  readonly moves?: ItemMoves;
}

/** Runs lists of steps side by side, as programs of their own. */
export async function runBranches(
  block: Block,
  branches: readonly Branch[],
  limit: number,
): Promise<readonly BranchOutput[]> {
  const outer = Object.fromEntries(visibleRecords(block));
  const calls = branches.map((branch): BranchCall => {
    const loop = branch.loop ?? block.loop;
    const input: BranchInput = {
      definition: block.definition,
      steps: branch.steps,
      wholePath: branch.wholePath,
      outer,
      context: block.context,
      ...(loop === undefined ? {} : { loop }),
      run: block.run,
      options: block.options,
      ledger: { ...block.ledger },
      ...(branch.moves === undefined ? {} : { moves: branch.moves }),
    };
    return { key: branch.key, program: BRANCH_PROGRAM, input: input as unknown as JsonValue };
  });
  const before = spendingOf(block.ledger);
  const outputs = (await block.durable.branches(calls, limit)).map(outputOf);
  for (const output of outputs) addSpending(block.ledger, before, output.spending);
  return outputs;
}

export async function runBranch(durable: OrchestrateDurable, given: JsonValue): Promise<JsonValue> {
  const input = given as unknown as BranchInput;
  const block: Block = {
    durable,
    definition: input.definition,
    path: '',
    wholePath: input.wholePath,
    records: new Map(),
    outer: new Map(Object.entries(input.outer)),
    context: input.context,
    ...(input.loop === undefined ? {} : { loop: input.loop }),
    run: input.run,
    options: input.options,
    ledger: { ...input.ledger },
  };
  const ended = await runSteps(block, input.steps);
  const end = input.moves === undefined ? ended : await endItem(block, input.moves, ended);
  const output: BranchOutput = {
    end,
    spending: spendingOf(block.ledger),
    // Nobody outside sees into an item, and thousands of items may hold much.
    records: input.moves === undefined ? Object.fromEntries(block.records) : {},
  };
  return output as unknown as JsonValue;
}

function outputOf(result: BranchResult): BranchOutput {
  return result.output as unknown as BranchOutput;
}
