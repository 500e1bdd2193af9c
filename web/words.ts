import { durationText, spendingText, stepCostText, usdText } from '../src/model/amounts.ts';

export { durationText, spendingText, stepCostText, usdText };

export const STATUS_WORDS: { readonly [status: string]: string } = {
  running: 'Running',
  waiting: 'Waiting',
  completed: 'Completed',
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
  failed: 'bad',
  cancelled: 'skip',
  interrupted: 'cut',
  damaged: 'bad',
  skipped: 'skip',
};

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
