import type { ScriptUses } from '../cursor.ts';
import { type Expansion, type Filled, type Flow, NUMBER, PUT_IN, type Sink } from './flow.ts';

/** The sources of values: references by index, then parameters and variables by their name in the script. */
export interface Sources {
  readonly references: ReadonlySet<number>;
  readonly inputs: readonly string[];
}

/** Which source reaches which sink; a reference by its index, an input by `inputSource`. */
export type Reached = ReadonlyMap<number, Sink>;

/** Pseudo-variables: any variable (`${!v}`), the keys of arrays (`${!a[@]}`). */
export const ANY_VARIABLE = '!';
export const ARRAY_KEYS = '!keys';
/** Text of the script that is not parsed: `$'…'`. */
export const UNREAD_TEXT = '!text';
/** Prefix for a command whose output is expanded in a text; it may be a function of the script. */
export const OUTPUT_OF = '()';

/** Shells set these to words of the script, which may contain values. */
const SET_BY_SHELL = /^(?:_|BASH_(?:REMATCH|ARGV0?|COMMAND|EXECUTION_STRING|ALIASES|CMDS))$/;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/g;
const ONLY_DIGITS = new RegExp(`^[-+0-9\\s${PUT_IN}${NUMBER}]*$`, 'u');
/** Two adjacent expansions that together may form a name not written in the script. */
const SPELLS = new RegExp(
  `[A-Za-z0-9_$]${PUT_IN}|${PUT_IN}[A-Za-z0-9_${PUT_IN}${NUMBER}]|${NUMBER}[A-Za-z_${PUT_IN}]|[A-Za-z_$]${NUMBER}`,
  'u',
);
/** Text that can do more than arithmetic when it is evaluated. */
const DOES_MORE =
  /\$\(|`|(?<![A-Za-z0-9_])(?:read|mapfile|readarray|alias|eval|source|declare|typeset|local|nameref|printf|set|shift|trap|exec)(?![A-Za-z0-9_])|(?:^|[\s;])\.\s/;
/** No real script evaluates so many variables in one expression. */
const MOST_NAMES = 1000;
const PARAMETER = /\$\{?[1-9@*]/;

/** Values that may be in a variable or text. */
interface Taint {
  readonly sources: Set<number>;
  /** It comes from input and may contain any of them. */
  reads: boolean;
}

/** The variables that are evaluated when a variable is evaluated. */
interface Holds {
  readonly names: ReadonlySet<string>;
  readonly isAnything: boolean;
}

interface Judge {
  readonly uses: ScriptUses;
  readonly given: Sources;
  readonly all: readonly number[];
  readonly filled: ReadonlyMap<string, readonly Filled[]>;
  readonly taints: Map<string, Taint>;
  /** Variables that always contain only digits. */
  readonly numbers: Set<string>;
  readonly holds: Map<string, Holds>;
}

export function inputSource(input: number): number {
  return -1 - input;
}

/** Finds every value that reaches a sink, assuming that commands run in any order and every branch is taken. */
export function judgeFlow(uses: ScriptUses, given: Sources): Reached {
  const judge = createJudge(uses, given);
  const reached = new Map<number, Sink>();
  for (const sink of uses.sinks) {
    for (const source of sourcesOf(judge, sink)) if (!reached.has(source)) reached.set(source, sink);
  }
  return reached;
}

function createJudge(uses: ScriptUses, given: Sources): Judge {
  const filled = new Map<string, Filled[]>();
  for (const one of uses.filled) {
    if (one.callee !== undefined && !uses.functions.has(one.callee)) continue;
    const others = filled.get(one.name);
    if (others === undefined) filled.set(one.name, [one]);
    else others.push(one);
  }
  const all = [...given.references, ...given.inputs.map((_, index) => inputSource(index))];
  const judge = { uses, given, all, filled, taints: new Map(), numbers: new Set<string>(), holds: new Map() };
  findNumbers(judge);
  spreadTaint(judge);
  return judge;
}

function findNumbers(judge: Judge): void {
  const { numbers, filled, given } = judge;
  for (const name of filled.keys()) {
    if (!given.inputs.includes(name) && !SET_BY_SHELL.test(name)) numbers.add(name);
  }
  settle(judge, (name) => {
    if (!numbers.has(name) || filled.get(name)?.every((flow) => isNumber(judge, flow))) return false;
    return numbers.delete(name);
  });
}

/** Processes each variable, and again those that depend on a changed one. */
function settle({ filled }: Judge, change: (name: string) => boolean): void {
  const dependents = new Map<string, Set<string>>();
  for (const [name, flows] of filled) {
    for (const expansion of flows.flatMap(({ expansions }) => [...expansions])) {
      const known = dependents.get(expansion.name);
      if (known === undefined) dependents.set(expansion.name, new Set([name]));
      else known.add(name);
    }
  }
  const waiting = new Set(filled.keys());
  for (const name of waiting) {
    waiting.delete(name);
    if (change(name)) for (const dependent of dependents.get(name) ?? []) waiting.add(dependent);
  }
}

function isNumber(judge: Judge, { reads, references, text, expansions }: Flow): boolean {
  return (
    !reads &&
    references.length === 0 &&
    ONLY_DIGITS.test(text) &&
    expansions.every((expansion) => holdsNumber(judge, expansion))
  );
}

function holdsNumber(judge: Judge, expansion: Expansion): boolean {
  if (expansion.name === ARRAY_KEYS) return !judge.uses.makesKeys;
  return (expansion.isWhole && judge.numbers.has(expansion.name)) || isChecked(judge, expansion);
}

/** Whether the script has exited before this point unless the value is a number. */
function isChecked({ uses, filled }: Judge, { name, written, at, scope }: Expansion): boolean {
  const checkedAt = uses.checked.get(written);
  if (checkedAt === undefined || scope !== 0 || at < checkedAt || uses.functions.has('exit')) return false;
  if (name === '@') return !uses.movesParameters && uses.functions.size === 0;
  return filled.get(name)?.every((one) => one.at < checkedAt) ?? true;
}

function spreadTaint(judge: Judge): void {
  judge.given.inputs.forEach((name, index) => {
    taintFor(judge, name).sources.add(inputSource(index));
  });
  settle(judge, (name) => {
    const taint = taintFor(judge, name);
    const before = taint.sources.size + Number(taint.reads);
    for (const text of judge.filled.get(name) ?? []) addTaint(judge, taint, text);
    return taint.sources.size + Number(taint.reads) > before;
  });
}

function taintFor({ taints, uses, all }: Judge, name: string): Taint {
  const known = taints.get(name);
  if (known !== undefined) return known;
  const isAny =
    name === ANY_VARIABLE ||
    SET_BY_SHELL.test(name) ||
    (name === ARRAY_KEYS && uses.makesKeys) ||
    (name.startsWith(OUTPUT_OF) && uses.functions.has(name.slice(OUTPUT_OF.length)));
  const taint: Taint = { sources: new Set(isAny ? all : []), reads: isAny };
  taints.set(name, taint);
  return taint;
}

function addTaint(judge: Judge, taint: Taint, flow: Flow): Taint {
  taint.reads ||= flow.reads;
  for (const reference of flow.references) {
    if (judge.given.references.has(reference)) taint.sources.add(reference);
  }
  for (const expansion of flow.expansions) {
    if (isChecked(judge, expansion)) continue;
    const { sources, reads } = taintFor(judge, expansion.name);
    for (const source of sources) taint.sources.add(source);
    taint.reads ||= reads;
  }
  return taint;
}

function sourcesOf(judge: Judge, sink: Sink): Iterable<number> {
  if (sink.ifFilled !== undefined && !sink.ifFilled.some(({ name }) => judge.filled.has(name))) return [];
  const taint = addTaint(judge, { sources: new Set(), reads: false }, sink);
  if (taint.reads && sink.type !== 'direct') return judge.all;
  return sink.type === 'computed' ? evaluated(judge, sink, taint.sources) : taint.sources;
}

/** A shell evaluates the names in the text, the names in their values, and so on. */
function evaluated(judge: Judge, sink: Sink, found: Set<number>): Iterable<number> {
  if (isAnything(judge, sink)) return judge.all;
  const seen = new Set<string>();
  const names = namesIn(judge, sink);
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (seen.has(name) || judge.numbers.has(name) || isChecked(judge, evaluatedAt(sink, name))) continue;
    seen.add(name);
    const taint = taintFor(judge, name);
    const held = heldBy(judge, name);
    if (taint.reads || held.isAnything || seen.size > MOST_NAMES) return judge.all;
    for (const source of taint.sources) found.add(source);
    names.push(...held.names);
  }
  return found;
}

function evaluatedAt({ at, scope }: Sink, name: string): Expansion {
  return { name, written: name, at, scope, isWhole: true };
}

function heldBy(judge: Judge, name: string): Holds {
  const known = judge.holds.get(name);
  if (known !== undefined) return known;
  const texts = judge.filled.get(name) ?? [];
  const holds: Holds = {
    names: new Set(texts.flatMap((text) => namesIn(judge, text))),
    isAnything: texts.some((text) => isAnything(judge, text)),
  };
  judge.holds.set(name, holds);
  return holds;
}

/** Whether the text may name variables that are not visible in it, or do more than name them. */
function isAnything(judge: Judge, flow: Flow): boolean {
  if (isNumber(judge, flow)) return false;
  const isChanged = flow.expansions.some(
    (expansion) =>
      expansion.name === UNREAD_TEXT ||
      (!expansion.isWhole && !holdsNumber(judge, expansion) && judge.filled.has(expansion.name)),
  );
  return isChanged || SPELLS.test(flow.text) || DOES_MORE.test(flow.text);
}

function namesIn(judge: Judge, { text, expansions }: Flow): string[] {
  return [
    ...(text.match(IDENTIFIER) ?? []),
    ...(PARAMETER.test(text) ? ['@'] : []),
    ...(/\$\{?0/.test(text) ? ['0'] : []),
    ...expansions.filter((expansion) => !isChecked(judge, expansion)).map(({ name }) => name),
  ];
}
