import {
  durationText,
  numberText,
  spendingText,
  stepCostText,
  tokensText,
  usdText,
  usesTokens,
} from '../src/model/amounts.ts';
import type { RunError, RunSummary } from '../src/operations/live/run-summary.ts';

export { durationText, numberText, spendingText, stepCostText, tokensText, usdText, usesTokens };

export const STATUS_WORDS: { readonly [status: string]: string } = {
  running: 'Running',
  waiting: 'Waiting',
  completed: 'Completed',
  unverified: 'Not verified: only the exit code is known',
  failed: 'Failed',
  cancelled: 'Cancelled',
  interrupted: 'Interrupted',
  damaged: 'Damaged',
  skipped: 'Skipped',
};

/** The colour of a status. */
export const TONE: { readonly [status: string]: string } = {
  running: 'run',
  waiting: 'ask',
  completed: 'ok',
  unverified: 'cut',
  failed: 'bad',
  cancelled: 'skip',
  interrupted: 'cut',
  damaged: 'bad',
  skipped: 'skip',
};

/** The status under which a step is shown: of an agent without its stream of events, only the exit code is known. */
export function shownStatus({
  status,
  outcome,
}: {
  readonly status: string;
  readonly outcome?: string;
}): string {
  return status === 'completed' && outcome === 'unverified' ? outcome : status;
}

/** What to do first if resuming a failed run would just fail again. */
export function adviceText(advice: NonNullable<RunError['advice']>, file: string | undefined): string {
  if (advice.type === 'first') {
    const words = advice.deeds.join(' and ').replaceAll('`', '');
    return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}, then resume.`;
  }
  return `Fix what failed, then start ${file ?? 'a new run'}${file === undefined ? '' : ' again'}: resuming would fail in the same way.`;
}

/** The file was changed to fix it: the run continues with it as it is now. */
export function changesFile({ error }: Pick<RunSummary, 'error'>): boolean {
  return error?.raise !== undefined || (error?.advice?.type === 'first' && error.advice.changesFile);
}

/** Whether resuming can help. */
export function canResume({ status, error }: Pick<RunSummary, 'status' | 'error'>): boolean {
  return status === 'interrupted' || (status === 'failed' && error?.advice?.type !== 'restart');
}

/** The time of day, with the date if it is not today. */
export function timeText(at: string | undefined): string {
  if (at === undefined || at === '') return '';
  const date = new Date(at);
  const time = date.toLocaleTimeString(undefined, { hour12: false });
  return date.toDateString() === new Date().toDateString()
    ? time
    : `${date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' })} ${time.slice(0, 5)}`;
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** `~/ws/greeter`. */
export function shortPath(path: string, home: string): string {
  return home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** A name that has to fit; the whole of it is in a title. */
export function shortText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
