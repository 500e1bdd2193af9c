/**
 * The files of a run whose machines exchange them through a hub, on its host: each call gets the files as they are when it starts, its work is
 * merged when it ends, and effects that do not travel run in a checkout (F1–F3 of `git/hub/host-checkout.ts`).
 */
import { EFFECT_PLACES } from '../../effects/places.ts';
import type { Freight } from '../../engine/dbos/freight.ts';
import type { Effect, EffectContext } from '../../engine/durable.ts';
import { receiveFiles } from '../../git/hub/call-files.ts';
import type { Clone } from '../../git/hub/clone.ts';
import { bringRunFiles } from '../../git/hub/fetch-run-files.ts';
import { giveFiles } from '../../git/hub/given-files.ts';
import { HostCheckout } from '../../git/hub/host-checkout.ts';
import { moveRefs } from '../../git/hub/hub.ts';
import { RunFolder } from '../../git/hub/run-folder.ts';
import { endAtHub, RunHead } from '../../git/hub/run-head.ts';
import { defined } from '../../model/defined.ts';
import type { EffectName } from '../../model/effect.ts';
import { exitCodeFor, type Failure, outcomeName } from '../../model/failure.ts';
import type { RunId, StepKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import type { EffectOutput } from '../../model/record.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { runPaths } from '../../store/layout.ts';
import { branchesIn, checkoutOf, conversationOf, setupsFor } from './call-needs.ts';
import { IsolatedWorks, isOfWorktrees, nameIn, needsHead } from './isolated-works.ts';
import { logsIn } from './logs-in.ts';
import { asJson, callFilesIn, type TravellingRun, workFilesIn } from './travelling.ts';

export interface HostedInput {
  readonly runId: RunId;
  readonly travelling: TravellingRun;
  /** Another host may have had the run before. */
  readonly isTakenOver: boolean;
  /** Who hosts it. */
  readonly host: string;
  readonly signal: AbortSignal;
  /** The hub says that another host has the run: this one must stop. It never returns. */
  onLost(): Promise<never>;
}

const END = 'end' as StepKey;

type AnyEffect = Effect<JsonValue, EffectOutput>;

export class HostedRun {
  readonly #clone: Clone;
  readonly #input: HostedInput;
  readonly #head: RunHead;
  readonly #checkout: HostCheckout;
  readonly #folder: RunFolder;
  readonly #isolated: IsolatedWorks;

  private constructor(
    { clone, input }: { clone: Clone; input: HostedInput },
    { head, checkout }: { head: RunHead; checkout: HostCheckout },
  ) {
    this.#clone = clone;
    this.#input = input;
    this.#head = head;
    this.#checkout = checkout;
    this.#folder = new RunFolder(clone, input.runId, this.#directory);
    const { runId, travelling, isTakenOver, host, signal } = input;
    const { prefix, include, without = [] } = travelling;
    const place = { runId, prefix, include, without, host, signal };
    this.#isolated = new IsolatedWorks(clone, place, { directory: this.#directory, isTakenOver });
  }

  static async open(clone: Clone, input: HostedInput): Promise<Result<HostedRun, Failure>> {
    const { runId, travelling, signal } = input;
    const head = await RunHead.open(clone, runId);
    if (head.type === 'error') return head;
    if (input.isTakenOver) {
      const claimed = await head.value.claim(input.host);
      if (claimed.type === 'error') return claimed;
    }
    const { prefix, include, without = [] } = travelling;
    const place = { runId, prefix, include, without, signal };
    const checkout = await HostCheckout.open(clone, head.value, place);
    if (checkout.type === 'error') return checkout;
    const run = new HostedRun({ clone, input }, { head: head.value, checkout: checkout.value });
    if (!input.isTakenOver) return ok(run);
    const brought = await bringRunFiles(clone, { runId, folder: run.#directory });
    return brought.type === 'error' ? brought : ok(run);
  }

  /** Absolute. */
  get workspace(): string {
    return this.#checkout.workspace;
  }

  get #directory(): string {
    return runPaths(this.workspace, this.#input.runId).directory;
  }

  readonly freight: Freight = {
    send: async (callId, { input, context, holder }) => {
      const isolated = await this.#isolated.around(context.run);
      if (isolated.type === 'error') return isolated;
      const { head = this.#head, setup: own } = isolated.value ?? {};
      const call = callId.slice(this.#input.runId.length + 1);
      const offered = await head.offer(call);
      if (offered.type === 'error') return offered;
      const { directory } = context.run;
      const conversation = holder === undefined ? [] : conversationOf(input, context);
      const paths = [...logsIn(input, this.#input.runId), ...conversation];
      const given =
        paths.length === 0
          ? ok(undefined)
          : await giveFiles(this.#clone, offered.value, { folder: directory, paths });
      if (given.type === 'error') return given;
      const { base } = offered.value;
      const isGiven = paths.length === 0 ? {} : { isGiven: true };
      const checkout = holder === undefined ? undefined : checkoutOf(holder);
      const branches = branchesIn(input, this.#isolated.branches);
      const setups = setupsFor(input, [this.#input.travelling.setup, own]);
      const more = defined({ checkout, branches: branches.length === 0 ? undefined : branches });
      return ok(asJson({ ...this.#input.travelling, call, base, ...isGiven, ...more, ...setups }));
    },
    receive: async (_, { sent, back, context }) => {
      const files = callFilesIn(sent);
      const work = workFilesIn(back);
      // The worker could not even begin: its failure says why.
      if (files === undefined || work === undefined) return undefined;
      const call = { runId: this.#input.runId, call: files.call, base: files.base };
      const received = await receiveFiles(this.#clone, { call, execution: work.execution }, this.#directory);
      if (received.type === 'error') return received.error;
      const isolated = await this.#isolated.around(context.run);
      if (isolated.type === 'error') return isolated.error;
      const taken = await (isolated.value?.head ?? this.#head).take(call, work);
      if (taken.type === 'error') return taken.error;
      if (taken.value === 'lost') return this.#input.onLost();
      context.signal.throwIfAborted();
      return undefined;
    },
  };

  /** The same effects, with the files of the head, and with what they change in it. */
  atHome<Effects extends object>(effects: Effects): Effects {
    const wrapped = Object.entries(effects).map(([name, effect]) => [
      name,
      this.#wrap(name as EffectName, effect as AnyEffect),
    ]);
    return Object.fromEntries(wrapped) as Effects;
  }

  #wrap(name: EffectName, effect: AnyEffect): AnyEffect {
    const { place, writes } = EFFECT_PLACES[name];
    if (place === 'worker' || WITHOUT_FILES.has(name)) return effect;
    if (isOfWorktrees(name)) return this.#onWorktree(name, effect);
    return async (input, context) => {
      const isolated = await this.#isolated.around(context.run);
      if (isolated.type === 'error') return failed(isolated.error);
      const checkout = isolated.value?.checkout ?? this.#checkout;
      const around = { checkout, context };
      if (!writes) {
        const failure = checkout.isCurrent ? undefined : await this.#settle(around);
        return failure === undefined ? effect(input, context) : failed(failure);
      }
      // Others would wait for it.
      const isLong = name === 'run-function';
      const work = (): Promise<EffectOutput> => effect(input, context);
      if (!isLong) return checkout.alone(() => this.#between(around, work));
      const before = await this.#settle(around);
      if (before !== undefined) return failed(before);
      const output = await work();
      const after = await this.#settle(around);
      return after === undefined ? output : { ...output, ...failed(after) };
    };
  }

  /** I1, I2 of `git/hub/isolated-work.ts` */
  #onWorktree(name: EffectName, effect: AnyEffect): AnyEffect {
    return async (input, context) => {
      const outer = await this.#isolated.around(context.run);
      if (outer.type === 'error') return failed(outer.error);
      const checkout = outer.value?.checkout ?? this.#checkout;
      const run = { ...context.run, branches: this.#isolated.branches };
      const work = async (): Promise<EffectOutput> => {
        const own = await this.#isolated.find(nameIn(input));
        if (own.type === 'error') return failed(own.error);
        const inner = own.value?.checkout;
        const settled = inner === undefined ? undefined : await this.#settle({ checkout: inner, context });
        if (settled !== undefined) return failed(settled);
        const aligned = needsHead(name, input) ? await checkout.align() : ok(undefined);
        if (aligned.type === 'error') return failed(aligned.error);
        const output = await effect(input, { ...context, run });
        const followed = await this.#isolated.follow(name, input, output);
        return followed.type === 'error' ? { ...output, ...failed(followed.error) } : output;
      };
      return checkout.alone(() => this.#between({ checkout, context }, work));
    };
  }

  async #between(around: Settling, work: () => Promise<EffectOutput>): Promise<EffectOutput> {
    const before = await this.#settleAlone(around);
    if (before !== undefined) return failed(before);
    const output = await work();
    const after = await this.#settleAlone(around);
    return after === undefined ? output : { ...output, ...failed(after) };
  }

  #settle(around: Settling): Promise<Failure | undefined> {
    return around.checkout.alone(() => this.#settleAlone(around));
  }

  async #settleAlone({ checkout, context: { key } }: Settling): Promise<Failure | undefined> {
    const message = `Step ${key}`;
    const settled = await this.#folder.bring('needed', (moves) => checkout.settle({ message, moves }));
    if (settled.type === 'error') return settled.error;
    if (settled.value === 'lost') return this.#input.onLost();
    return undefined;
  }

  /** At the end of a turn. `isOver`: nothing of the run's calls is needed any more. */
  async close({ isOver }: { readonly isOver: boolean }): Promise<Result<void, Failure>> {
    const { runId } = this.#input;
    // What was written around the program.
    const open = await this.#isolated.open();
    for (const { checkout } of [...open, { checkout: this.#checkout }]) {
      const unsettled = await this.#settle({ checkout, context: { key: END } });
      if (unsettled !== undefined) return error(unsettled);
    }
    // Logs of calls that were cancelled are in the hub only.
    const brought = await bringRunFiles(this.#clone, { runId, folder: this.#directory, isMissing: true });
    if (brought.type === 'error') return brought;
    const moved = await this.#folder.bring('whole', async (moves) => {
      const made = moves.length === 0 ? ok(true) : await moveRefs(this.#clone, moves);
      return made.type === 'error' ? made : ok(undefined);
    });
    if (moved.type === 'error') return moved;
    for (const each of open) {
      const left = await this.#isolated.leave(each);
      if (left.type === 'error') return left;
    }
    const ended = isOver ? await endAtHub(this.#clone, runId) : ok(undefined);
    return ended.type === 'error' ? error(ended.error) : this.#checkout.close();
  }
}

/** Before and after an effect that sees the files of a checkout. */
interface Settling {
  readonly checkout: HostCheckout;
  readonly context: Pick<EffectContext, 'key'>;
}

/** They neither read nor write files of the workspace. */
const WITHOUT_FILES: ReadonlySet<EffectName> = new Set(['note', 'remember']);

function failed(failure: Failure): EffectOutput {
  const fields = { failure, exitCode: exitCodeFor(failure), outcome: outcomeName(failure) };
  return fields;
}
