import { join } from 'node:path';
import { defined } from '../../model/defined.ts';
import { ok, type Result } from '../../model/result.ts';
import type { QuestionState } from '../../model/run-state.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { ReadRunProblem } from '../problem.ts';
import type { Site } from '../site.ts';
import { readRun } from './read-run.ts';

/** What a person sees before answering. */
export interface ShownQuestion {
  readonly message: string;
  /** What it asks about, in several lines: the input of a tool call. */
  readonly detail?: string;
  /** The beginning of the patch it asks about. */
  readonly diff?: string;
  /** The lines of the patch that were left out. */
  readonly omittedLines?: number;
  /** The patch, relative to the run's folder. */
  readonly diffFile?: string;
}

const MOST_LINES = 400;
const MOST_CHARACTERS = 65_536;

/** Undefined if the question is not open. */
export function readQuestion(
  site: Site,
  asked: { readonly run: string; readonly key: string },
): Result<ShownQuestion | undefined, ReadRunProblem> {
  const run = readRun(site, asked.run);
  if (run.type === 'error') return run;
  const { state, paths } = run.value;
  const open = state.waiting_for?.[asked.key];
  return ok(open === undefined ? undefined : shownQuestion(open, paths.directory));
}

/** `directory`: the folder of the run. */
export function shownQuestion(open: QuestionState, directory: string): ShownQuestion {
  const { message, detail, diff: diffFile } = open;
  const patch = diffFile === undefined ? undefined : textIn(join(directory, diffFile));
  return {
    message,
    ...defined({ detail, diffFile }),
    ...(patch === undefined ? {} : beginningOf(patch)),
  };
}

function beginningOf(patch: string): Pick<ShownQuestion, 'diff' | 'omittedLines'> {
  const lines = patch.trimEnd().split('\n');
  const shown = patch.slice(0, MOST_CHARACTERS).trimEnd().split('\n').slice(0, MOST_LINES);
  const omittedLines = lines.length - shown.length;
  return { diff: shown.join('\n'), ...(omittedLines > 0 ? { omittedLines } : {}) };
}

/** Undefined if it cannot be read: the question can be answered without it. */
function textIn(path: string): string | undefined {
  try {
    return readPlainText(path);
  } catch {
    return undefined;
  }
}
