/** A sequence of calls: the workflow itself, one branch of `each` or `all`, a called workflow (C1, C2). */
import { inspect } from 'node:util';
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import type { AroundCall, StepOptions } from '../../engine/durable.ts';
import { insideKey, type StepKey } from '../../model/ids.ts';
import { note } from '../../steps/notes.ts';
import { type SiteCall, type StepSite, wholeKey } from '../../steps/site.ts';
import type { Workflow } from '../written/workflow.ts';
import type { Execution } from './execution.ts';
import { MadeCall } from './made-call.ts';
import { Mistake } from './mistake.ts';
import { OwnProblem } from './own-problem.ts';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:-]*$/;

export interface ScopePlace {
  readonly durable: OrchestrateDurable;
  readonly path: string;
  readonly wholePath: string;
  /** The item of the branch that it is in. */
  readonly within?: AroundCall | undefined;
}

export class Scope {
  readonly execution: Execution;
  /** Whose agents its calls name. */
  readonly workflow: Workflow;
  readonly site: StepSite;
  readonly within: AroundCall | undefined;
  readonly #visits = new Map<string, number>();
  readonly #calls: StepKey[];
  #open: string | undefined;
  #advice = '';
  /** Where the open call was made. */
  #openedAt = new Error();
  #isOver = false;
  /** Calls that nobody may have waited for. */
  #made: { readonly name: string; readonly made: MadeCall<unknown>; readonly openedAt: Error }[] = [];
  /** Messages that are not recorded yet. */
  readonly #logging: Promise<unknown>[] = [];
  #logged = 0;

  constructor(execution: Execution, workflow: Workflow, { durable, path, wholePath, within }: ScopePlace) {
    this.execution = execution;
    this.within = within;
    this.workflow = workflow;
    const { ledger } = execution;
    this.site = {
      get durable() {
        return execution.durableOf(durable);
      },
      get isTidyingUp() {
        return execution.isCancelled;
      },
      ...{ path, wholePath, ledger },
    };
    this.#calls = [];
    execution.replay?.asked.set(wholePath, this.#calls);
    execution.replay?.scopes.push(this);
  }

  /** The program is at work in it: no call is open. */
  get isBusy(): boolean {
    return !this.#isOver && this.#open === undefined;
  }

  /** Whole key of the call that has not settled. */
  get openCall(): StepKey | undefined {
    return this.#open === undefined ? undefined : this.#calls.at(-1);
  }

  /** Makes one call. `advice`: for a call that is made while this one is open. The promise may be dropped: the mistake of not awaiting it is reported, not its failure as well. */
  call<Value>(
    name: string,
    work: (call: SiteCall) => Promise<Value>,
    advice = 'await it, or use ctx.each or ctx.all',
  ): Promise<Value> {
    const openedAt = new Error(name);
    const made = MadeCall.of(this.#make(name, work, advice));
    this.#made.push({ name, made, openedAt });
    return made;
  }

  async #make<Value>(name: string, work: (call: SiteCall) => Promise<Value>, advice: string): Promise<Value> {
    const key = this.#begin(name);
    this.#open = name;
    this.#advice = advice;
    const openedAt = new Error(name);
    this.#openedAt = openedAt;
    const whole = wholeKey(this.site, key);
    this.#calls.push(whole);
    this.execution.lastCall = { key: whole, madeAt: openedAt };
    this.execution.replay?.stacks.set(whole, this.#openedAt.stack ?? '');
    try {
      await Promise.all(this.#logging.splice(0));
      const value = await work({ block: this.site, key });
      this.execution.replay?.answered.add(whole);
      return value;
    } catch (problem) {
      if (problem instanceof OwnProblem) throw problem.thrown;
      if (problem instanceof Mistake) this.execution.noteMistake(problem, openedAt);
      throw await this.execution.rejection(problem);
    } finally {
      this.#open = undefined;
    }
  }

  #begin(name: string): StepKey {
    if (typeof name !== 'string')
      throw this.mistake(
        `the first argument of a call is its name, a text, not \`${inspect(name, { depth: 0 })}\``,
      );
    if (!NAME.test(name)) throw this.mistake(badName(name));
    if (this.#isOver)
      throw this.mistake(`\`${name}\` was called after its part of the workflow had ended: await it`);
    if (this.#open !== undefined)
      throw this.mistake(`\`${name}\` was called while \`${this.#open}\` is still running: ${this.#advice}`);
    // A long loop does not keep all its calls.
    if (this.#made.length > 64) this.#made = this.#made.filter(({ made }) => !made.isAwaited);
    const visit = (this.#visits.get(name) ?? 0) + 1;
    this.#visits.set(name, visit);
    const own = (visit > 1 ? `${name}#${visit}` : name) as StepKey;
    return this.site.path === '' ? own : insideKey(this.site.path, own);
  }

  log(message: string): void {
    this.#logged += 1;
    const last = this.#calls.at(-1);
    const { path, wholePath } = this.site;
    const own =
      last === undefined ? undefined : (last.slice(wholePath === '' ? 0 : wholePath.length + 1) as StepKey);
    const key = own === undefined ? insideKeyOr(path, 'run') : path === '' ? own : insideKey(path, own);
    const side = `log${this.#logged}`;
    const noted = note(
      this.site,
      { key, side },
      { type: 'decision', message: typeof message === 'string' ? message : inspect(message) },
    );
    // A problem is that of the next call.
    noted.catch(() => {});
    this.#logging.push(noted);
  }

  /** The program has returned from it. */
  async end(): Promise<void> {
    if (this.#open !== undefined) {
      const mistake = this.mistake(`\`${this.#open}\` was still running at the end: await it`);
      this.execution.noteMistake(mistake, this.#openedAt);
      throw mistake;
    }
    const dropped = this.#made.find(({ made }) => !made.isAwaited);
    if (dropped !== undefined) {
      const mistake = this.mistake(`\`${dropped.name}\` was not awaited: its failure would be lost`);
      this.execution.noteMistake(mistake, dropped.openedAt);
      throw mistake;
    }
    await Promise.all(
      this.#logging.splice(0).map((noted) => noted.catch((problem) => this.execution.rejection(problem))),
    );
    this.#isOver = true;
  }

  /** Nothing more is called in it. What it has logged is kept. */
  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#logging.splice(0));
  }

  /** The inputs of its steps are compared with those in the journal (C6). */
  get compared(): Pick<StepOptions, 'compares'> {
    return this.execution.compared(this.within);
  }

  /** Whole keys of the calls made after this one. */
  after(whole: StepKey): readonly StepKey[] {
    const at = this.#calls.indexOf(whole);
    return at === -1 ? [] : this.#calls.slice(at + 1);
  }

  mistake(message: string): Mistake {
    const mistake = new Mistake(message);
    this.execution.noteMistake(mistake);
    return mistake;
  }
}

function insideKeyOr(path: string, own: string): StepKey {
  return (path === '' ? own : path) as StepKey;
}

function badName(given: string): string {
  const fitting = given
    .replace(/[^A-Za-z0-9_.:-]+/g, '-')
    .replace(/^[^A-Za-z0-9_]+/, '')
    .replace(/-+$/, '');
  const help = fitting === '' ? '' : `; \`${fitting}\` would do`;
  return `\`${given}\` cannot be the name of a call: use letters, digits and \`_ . : -\`${help}`;
}
