import {
  isReference,
  type Reference,
  referencesOf,
  type Template,
  type TemplateProblem,
} from '../template.ts';
import { type Cursor, type Dialect, type Place, REFERENCE_MARK, refuse, spread } from './cursor.ts';
import { evaluatedLater, noteVariables } from './evaluated-later.ts';
import { type Judgement, judgeCommand } from './judge-command.ts';
import { FOREIGN_SHELLS } from './programs.ts';
import { readList } from './read-commands.ts';
import { refusalProblem, type Spelling } from './refusal-problem.ts';

export type { Place } from './cursor.ts';

export interface AnalyseOptions {
  /** The shell that will read the script: `bash`, `sh`, `zsh`, …. */
  readonly shell?: string;
  /** References whose values are plain words by their nature; they may stand anywhere and are checked when rendered. */
  readonly isInert?: (reference: Reference) => boolean;
  /** A list is put in as its words, where one word may become several. */
  readonly lists?: boolean;
  /** How the references were written; for the words of the problems. */
  readonly spelling?: Spelling;
}

export interface AnalysedScript {
  /** One for each reference, in their order; where there are problems, not to be rendered. */
  readonly places: readonly Place[];
  readonly problems: readonly TemplateProblem[];
}

/** Decides for every reference in a shell script how its value must be quoted, or why no value can stand there. */
export function analyseScript(template: Template, options: AnalyseOptions = {}): AnalysedScript {
  const references = referencesOf(template);
  if (references.length === 0) return { places: [], problems: [] };
  const cursor = readScript(template, options);
  const places: Place[] = [];
  const problems: TemplateProblem[] = [];
  references.forEach((reference, index) => {
    const where = cursor.places.get(index);
    const refusal = cursor.lost === undefined ? cursor.refusals.get(index) : 'unreadable';
    if (where !== undefined && refusal === undefined) places.push(where);
    else {
      places.push('plain');
      if (options.isInert?.(reference)) return;
      // C1
      problems.push(
        refusalProblem(reference, refusal ?? 'unreadable', {
          spelling: options.spelling ?? 'variables',
          reason: cursor.lost,
        }),
      );
    }
  });
  return { places, problems };
}

function readScript(template: Template, options: AnalyseOptions): Cursor {
  const judgements: Judgement[] = [];
  const cursor: Cursor = createCursor(template, options, (command) => {
    const judgement = judgeCommand(command, cursor);
    for (const [reference, refusal] of judgement.refusals) refuse(cursor, reference, refusal);
    for (const word of judgement.spreadable) spread(cursor, word);
    judgements.push(judgement);
    noteVariables(cursor, command);
  });
  readList(cursor, 'text');
  if (FOREIGN_SHELLS.has(options.shell ?? '')) refuseEach(cursor, cursor.places.keys(), 'foreign-shell');
  const makesIntegers = judgements.some((judgement) => judgement.makesIntegers);
  const makesArrays = judgements.some((judgement) => judgement.makesArrays);
  const evaluated = judgements.flatMap((judgement) => [...judgement.evaluated]);
  for (const { assigned, declared } of judgements) {
    for (const word of [...(makesIntegers ? assigned : []), ...(makesArrays ? declared : [])]) {
      refuseEach(cursor, word.references, 'integer');
      evaluated.push(word.raw);
    }
  }
  refuseEach(cursor, evaluatedLater(cursor, evaluated), 'evaluated-later');
  if (judgements.some((judgement) => judgement.readsInput)) {
    refuseEach(cursor, cursor.places.keys(), 'fed-to-interpreter');
  }
  return cursor;
}

function createCursor(template: Template, options: AnalyseOptions, visit: Cursor['visit']): Cursor {
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
    forbidden: undefined,
    depth: 0,
    nesting: 0,
    position: 0,
    heredocs: [],
    computed: [],
    filled: [],
    functions: new Set(),
    lost: text.includes('\0') ? 'it holds a NUL' : undefined,
    visit,
  };
}

function refuseEach(
  cursor: Cursor,
  references: Iterable<number>,
  refusal: Parameters<typeof refuse>[2],
): void {
  for (const reference of [...references]) refuse(cursor, reference, refusal);
}

function dialectOf(shell: string): Dialect {
  if (shell === 'bash' || shell === 'rbash') return 'bash';
  if (shell === 'zsh') return 'zsh';
  return /ksh|yash|posh/.test(shell) ? 'korn' : 'posix';
}
