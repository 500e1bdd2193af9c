/** What a replay over the journal sees of the programs in code of one run: the one that was started, or several that a workflow file calls. */
import type { Divergence } from '../../engine/divergence.ts';
import type { StepKey } from '../../model/ids.ts';

export class ObservedReplay {
  /** Whole keys by scope, in the order in which they were asked for. */
  readonly asked = new Map<string, readonly StepKey[]>();
  /** Calls that returned. */
  readonly answered = new Set<StepKey>();
  /** Where each call was made. */
  readonly stacks = new Map<StepKey, string>();
  /** Scopes that run or have run. */
  readonly scopes: { readonly isBusy: boolean; readonly openCall: StepKey | undefined }[] = [];
  /** Who makes the calls below a key, if it is another kind of workflow than the one around it. */
  readonly owners = new Map<string, 'code' | 'file'>();
  /** A call was not answered. */
  hasStopped = false;
  /** The first call that does not fit the journal. */
  divergence: Divergence | undefined;

  /** `outermost`: the kind of workflow that was started. */
  constructor(outermost: 'code' | 'file') {
    this.owners.set('', outermost);
  }

  /** The first call below this one, or itself, that was not answered and has none below it. */
  innermostOpen(key: StepKey): StepKey | undefined {
    const open = this.scopes.flatMap(({ openCall }) => openCall ?? []);
    return open.find(
      (each) =>
        (each === key || each.startsWith(`${key}/`)) && !open.some((other) => other.startsWith(`${each}/`)),
    );
  }

  /** Whether the calls of this scope are made by code. */
  isOfCode(scope: string): boolean {
    for (let at = scope; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
      const owner = this.owners.get(at);
      if (owner !== undefined) return owner === 'code';
    }
  }
}
