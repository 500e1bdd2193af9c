import {
  isReference,
  type Reference,
  referencesOf,
  type Template,
  type TemplateProblem,
} from '../template.ts';
import { type Cursor, type Place, REFERENCE_MARK, refuse, type ScriptUses } from './cursor.ts';
import type { Sink } from './flow/flow.ts';
import { addSink, emptyList } from './flow/gather.ts';
import { inputSource, judgeFlow, type Reached } from './flow/judge-flow.ts';
import { judgeCommand } from './judge-command.ts';
import { FOREIGN_SHELLS } from './programs/shells.ts';
import { dialectOf } from './read-code.ts';
import { readList } from './read-commands.ts';
import type { Refusal } from './refusal.ts';
import { refusalProblem, type Spelling } from './refusal-problem.ts';

export type { Place } from './cursor.ts';

export interface AnalyseOptions {
  /** The shell that will read the script: `bash`, `sh`, `zsh`, …. */
  readonly shell?: string;
  /** References whose values are always plain words; they are allowed anywhere and checked when rendered. */
  readonly isInert?: (reference: Reference) => boolean;
  /** A list is inserted as several words, where one word may become several. */
  readonly lists?: boolean;
  /** How the references are written, for messages. */
  readonly spelling?: Spelling;
  /** Values passed to the script, by their name in it: `@` for the parameters, `0`, variables. */
  readonly inputs?: readonly string[];
}

export interface AnalysedScript {
  /** One per reference, in order. Do not render them if there are problems. */
  readonly places: readonly Place[];
  readonly problems: readonly TemplateProblem[];
  /** Refused references that `pass-beside.ts` can rewrite, and the quotes around them. */
  readonly fromVariable: ReadonlyMap<number, Place>;
  /** Indexes of the inputs that the script may run or evaluate. */
  readonly refusedInputs: ReadonlyMap<number, RefusedInput>;
}

export interface RefusedInput {
  readonly refusal: Refusal;
  /** Why the script could not be parsed. */
  readonly reason?: string | undefined;
  /** Offset in the script. */
  readonly at: number;
}

/** Decides for every value in a shell script, or passed to it, how to quote it, or why it cannot be proven to stay data. */
export function analyseScript(template: Template, options: AnalyseOptions = {}): AnalysedScript {
  const references = referencesOf(template);
  const inputs = options.inputs ?? [];
  if (references.length === 0 && inputs.length === 0)
    return { places: [], problems: [], fromVariable: new Map(), refusedInputs: new Map() };
  const live = new Set([...references.keys()].filter((index) => !isInert(references[index], options)));
  const cursor = readScript(template, options);
  const reached: Reached =
    live.size + inputs.length === 0 ? new Map() : judgeFlow(cursor.uses, { references: live, inputs });
  const places: Place[] = [];
  const problems: TemplateProblem[] = [];
  references.forEach((reference, index) => {
    const where = cursor.places.get(index);
    const refusal = cursor.lost === undefined ? cursor.refusals.get(index) : 'unreadable';
    const sink = reached.get(index);
    if (where !== undefined && refusal === undefined && sink === undefined) places.push(where);
    else {
      places.push('plain');
      if (!live.has(index)) return;
      // C1
      const spelling = options.spelling ?? 'variables';
      problems.push(
        refusal === undefined && sink !== undefined
          ? refusalProblem(reference, sink.refusal, { spelling, way: 'variable' })
          : refusalProblem(reference, refusal ?? 'unreadable', { spelling, reason: cursor.lost }),
      );
    }
  });
  const fromVariable = new Map([...cursor.fromVariable].filter(([index]) => live.has(index)));
  return { places, problems, fromVariable, refusedInputs: refusedInputs(cursor, inputs, reached) };
}

function isInert(reference: Reference | undefined, options: AnalyseOptions): boolean {
  return reference !== undefined && (options.isInert?.(reference) ?? false);
}

function refusedInputs(
  cursor: Cursor,
  inputs: readonly string[],
  reached: Reached,
): ReadonlyMap<number, RefusedInput> {
  const refused = new Map<number, RefusedInput>();
  inputs.forEach((_, index) => {
    const sink: Sink | undefined = reached.get(inputSource(index));
    if (cursor.lost !== undefined) refused.set(index, { refusal: 'unreadable', reason: cursor.lost, at: 0 });
    else if (sink !== undefined) refused.set(index, { refusal: sink.refusal, at: sink.at });
  });
  return refused;
}

function readScript(template: Template, options: AnalyseOptions): Cursor {
  const cursor = createCursor(template, options);
  readList(cursor, 'text');
  const { uses } = cursor;
  if (FOREIGN_SHELLS.has(options.shell ?? '')) {
    for (const reference of cursor.referenceAt.values()) refuse(cursor, reference, 'foreign-shell');
    cursor.lost ??= `\`${options.shell}\` is not supported`;
  }
  for (const word of [
    ...(uses.makesIntegers ? uses.assigned : []),
    ...(uses.makesArrays ? uses.declared : []),
  ]) {
    for (const reference of word.references) refuse(cursor, reference, 'integer');
    addSink(cursor, word.flow, { type: 'run', refusal: 'integer' });
    if (uses.makesIntegers) addSink(cursor, word.flow, { type: 'computed', refusal: 'integer' });
  }
  for (const name of uses.functions) {
    if (uses.trusted.has(name)) cursor.lost ??= `\`${name}\` is a function`;
    if (name === 'command_not_found_handle') cursor.lost ??= 'it handles unknown commands';
  }
  for (const file of [...uses.run, ...(uses.setsPath ? uses.named : [])])
    if (uses.written.has(file)) cursor.lost ??= 'it runs a file that it writes';
  return cursor;
}

export function createCursor(template: Template, options: AnalyseOptions): Cursor {
  const referenceAt = new Map<number, number>();
  let text = '';
  for (const part of template) {
    if (isReference(part)) {
      referenceAt.set(text.length, referenceAt.size);
      text += REFERENCE_MARK;
    } else text += part;
  }
  return {
    text,
    referenceAt,
    dialect: dialectOf(options.shell ?? 'sh'),
    lists: options.lists ?? false,
    places: new Map(),
    refusals: new Map(),
    fromVariable: new Map(),
    forbidden: undefined,
    depth: 0,
    nesting: 0,
    position: 0,
    heredocs: [],
    base: undefined,
    scope: 0,
    expansions: [],
    reads: false,
    list: emptyList(),
    uses: noUses(),
    lost: text.includes('\0') ? 'it contains a NUL' : undefined,
    visit: judgeCommand,
  };
}

function noUses(): ScriptUses {
  return {
    sinks: [],
    filled: [],
    functions: new Set(),
    trusted: new Set(),
    checked: new Map(),
    isStraight: true,
    checkEnd: 0,
    movesParameters: false,
    written: new Set(),
    run: new Set(),
    named: new Set(),
    setsPath: false,
    makesKeys: false,
    makesArrays: false,
    makesIntegers: false,
    assigned: [],
    declared: [],
    scopes: 0,
  };
}
