import {
  durationText,
  numberText,
  spendingText,
  stepCostText,
  tokensText,
  usdText,
  usesTokens,
} from '../src/model/amounts.ts';

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
