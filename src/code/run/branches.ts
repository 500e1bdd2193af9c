/** `each` and `all`: branches with scopes of their own, as one container. */
import type { EffectMap, OrchestrateDurable } from '../../effects/contracts.ts';
import type { Pool } from '../../engine/durable.ts';
import { insideKey, type StepKey, stepKey } from '../../model/ids.ts';
import { itemName } from '../../model/item-name.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Note } from '../../model/note.ts';
import { asContainer, failureOf } from '../../steps/container.ts';
import { note } from '../../steps/notes.ts';
import { type SiteCall, wholeKey } from '../../steps/site.ts';
import type { EachOptions } from '../written/calls.ts';
import type { Context } from '../written/context.ts';
import { Cancelled, StepFailed } from '../written/errors.ts';
import { retryKeysOf, stepFailed } from './failed-calls.ts';
import { checkOptions, checkValue, EACH_OPTIONS, FUNCTION, LIST, OBJECT } from './given-options.ts';
import { OwnProblem } from './own-problem.ts';
import { plainJson } from './plain-json.ts';
import { Scope } from './scope.ts';

export interface Branches {
  readonly shown: Extract<Note, { type: 'container' }>;
  readonly list: readonly Branch[];
  readonly options: EachOptions;
}

export interface Branch {
  /** The last part of its key. */
  readonly name: string | number;
  readonly item?: JsonValue;
  readonly body: (scope: Scope) => Promise<unknown>;
}

type BranchEnd =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly problem: unknown };

export function callBranches<Value>(
  scope: Scope,
  { name, shape }: { readonly name: string; readonly shape: (values: readonly unknown[]) => Value },
  branches: () => Branches,
): Promise<Value> {
  const advice = 'await it; in its body, use the ctx that the body is given';
  const work = async (call: SiteCall): Promise<Value> => {
    const { shown, list, options } = branches();
    const { end } = await asContainer(call, shown, async () => {
      const ends = await runAll(scope, { call, list, options });
      const bug = ends.find((each) => each?.type === 'threw' && !(each.problem instanceof StepFailed));
      // A bug of the program is no failure of a branch: it ends the run where it is.
      if (bug?.type === 'threw') throw new OwnProblem(bug.problem);
      const failed = ends.flatMap((each, index) =>
        each?.type === 'threw' ? [{ failed: each.problem as StepFailed, branch: list[index] }] : [],
      );
      const causes = failed.map(({ failed, branch }) => ({
        branch: insideKey(wholeKey(call.block, call.key), (branch?.name ?? 0) as StepKey),
        ...(branch?.item === undefined ? {} : { item: itemName(branch.item) }),
        failure: failed.failure,
      }));
      return {
        ...failureOf(causes),
        retryKeys: failed.flatMap((each) => retryKeysOf(each.failed)),
        ...{ ends, causes: failed.map((each) => each.failed) },
      };
    }).then(({ end, retryKeys }) => ({ end: { ...end, retryKeys } }));
    const { failure, retryKeys, causes, ends } = end;
    if (failure !== undefined) throw stepFailed(scope, call, { failure, retryKeys, causes });
    return shape(ends.map((each) => (each?.type === 'returned' ? each.value : undefined)));
  };
  return scope.call(name, work, advice);
}

interface Running {
  readonly call: SiteCall;
  readonly list: readonly Branch[];
  readonly options: EachOptions;
}

async function runAll(
  scope: Scope,
  { call, list, options }: Running,
): Promise<readonly (BranchEnd | undefined)[]> {
  const { block, key } = call;
  const ends = new Map<StepKey, BranchEnd>();
  const keys = list.map(({ name }) => insideKey(key, name as StepKey));
  const slots = Math.max(1, Math.min(options.limit ?? 1, Math.max(1, list.length)));
  await block.durable.pool<BranchEnd, void>(slots, async (pool: Pool<EffectMap, BranchEnd>) => {
    let next = 0;
    let isOpen = true;
    for (;;) {
      for (; isOpen && pool.free > 0 && next < list.length; next += 1) {
        const [branch, at] = [list[next], keys[next]];
        if (branch === undefined || at === undefined) break;
        const wholePath = insideKey(wholeKey(block, key), branch.name as StepKey);
        const { item } = branch;
        const within = item === undefined ? scope.within : { item, around: scope.within };
        const inner = (durable: OrchestrateDurable): Scope =>
          new Scope(scope.execution, scope.workflow, { durable, path: '', wholePath, within });
        pool.start({ key: at, body: (durable) => runBranch(inner(durable), branch) });
      }
      const ended = await pool.next();
      if (ended === undefined) return;
      ends.set(ended.key, ended.output);
      if (ended.output.type === 'threw' && mustStop(ended.output.problem, options)) isOpen = false;
    }
  });
  return keys.map((each) => ends.get(each));
}

function mustStop(problem: unknown, { onFailure = 'stop' }: EachOptions): boolean {
  if (!(problem instanceof StepFailed)) return true;
  return onFailure === 'stop' || problem.failure.type === 'over-budget';
}

async function runBranch(scope: Scope, branch: Branch): Promise<BranchEnd> {
  let ended: BranchEnd;
  try {
    const value = await branch.body(scope);
    await scope.end();
    ended = { type: 'returned', value };
  } catch (problem) {
    // After a stop nothing is recorded, not even that the branch has ended.
    if (problem instanceof Cancelled && scope.execution.isCancelled) throw scope.execution.signal.reason;
    await scope.close();
    return { type: 'threw', problem };
  }
  if (typeof branch.name === 'number')
    await note(
      scope.site,
      { key: stepKey('item'), side: 'done' },
      { type: 'item-completed', index: branch.name },
    );
  return ended;
}

export function eachOf<Item>(
  scope: Scope,
  given: {
    readonly name: string;
    readonly items: Iterable<Item>;
    readonly body: (ctx: Context, item: Item, index: number) => Promise<unknown>;
    readonly options: EachOptions;
    readonly contextOf: (scope: Scope) => Context;
  },
): Branches {
  checkValue(scope, `the items of \`${given.name}\``, given.items, LIST);
  checkValue(scope, `the body of \`${given.name}\``, given.body, FUNCTION);
  checkOptions(scope, given.name, given.options, EACH_OPTIONS);
  const items = [...given.items];
  const shownItems = items.map((item): JsonValue => {
    const plain = plainJson(item);
    return plain.type === 'ok' ? plain.value : String(item);
  });
  return {
    shown: { type: 'container', kind: 'for-each', items: shownItems },
    options: given.options,
    list: items.map((item, index) => ({
      ...{ name: index, item: shownItems[index] ?? null },
      body: async (inner) => given.body(given.contextOf(inner), item, index),
    })),
  };
}

export function allOf(
  scope: Scope,
  given: {
    readonly name: string;
    readonly branches: { readonly [name: string]: (ctx: Context) => Promise<unknown> };
    readonly options: EachOptions;
    readonly contextOf: (scope: Scope) => Context;
  },
): Branches {
  checkValue(scope, `what \`${given.name}\` runs`, given.branches, OBJECT);
  checkOptions(scope, given.name, given.options, EACH_OPTIONS);
  const entries = Object.entries(given.branches);
  const wrong = entries.find(
    ([name, body]) => typeof body !== 'function' || !/^[A-Za-z_][A-Za-z0-9_.:-]*$/.test(name),
  );
  if (wrong !== undefined)
    throw scope.mistake(
      typeof wrong[1] === 'function'
        ? `\`${wrong[0]}\` cannot be the name of a branch: use letters, digits and \`_ . : -\`, a letter first`
        : `the branch \`${wrong[0]}\` must be a function: \`{${wrong[0]}: (ctx) => …}\``,
    );
  return {
    shown: { type: 'container', kind: 'parallel', branches: entries.map(([name]) => name) },
    options: { limit: entries.length, ...given.options },
    list: entries.map(([name, body]) => ({ name, body: async (inner) => body(given.contextOf(inner)) })),
  };
}
