import { isShown } from '../../model/effect.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import { ItemNames } from '../../model/item-name.ts';
import { isJsonObject } from '../../model/json.ts';
import { notedIn } from '../../model/noted.ts';
import { skipUnknown } from '../../model/unreachable.ts';

/** One attempt of a step, or the wait for a user's answer. */
export interface Span {
  readonly key: string;
  /** The name of the innermost item it belongs to. */
  readonly item?: string;
  readonly type: 'work' | 'question';
  readonly attempt: number;
  readonly started_at: string;
  readonly ended_at: string;
  readonly status: 'completed' | 'failed' | 'running' | 'cut-off';
}

/** Returns what ran when, in the order of starting. An open span lasts until `now`, or until the run was interrupted. */
export function timelineOf(events: readonly JournalEvent[], now: string): readonly Span[] {
  const spans: Span[] = [];
  const open = new Map<string, Omit<Span, 'ended_at' | 'status'>>();
  const items = new ItemNames();
  const begin = (key: string, begun: Pick<Span, 'type' | 'attempt' | 'started_at'>): void => {
    const item = items.of(key);
    open.set(key, { key, ...(item === undefined || item === '' ? {} : { item }), ...begun });
  };
  const close = (key: string, at: string, status: Span['status']): void => {
    const begun = open.get(key);
    if (begun === undefined) return;
    open.delete(key);
    spans.push({ ...begun, ended_at: at, status });
  };
  let lastAt = now;
  for (const event of events) {
    switch (event.type) {
      case 'step-started':
        if (isShown(event.effect))
          begin(event.key, { type: 'work', attempt: event.attempt, started_at: event.at });
        break;
      case 'attempt-ended':
        close(event.key, event.at, 'failed');
        break;
      case 'attempt-asked':
        close(event.key, event.at, 'completed');
        break;
      case 'step-ended': {
        const noted = notedIn(event);
        if (noted !== undefined) items.apply(noted);
        const failure = isJsonObject(event.output)
          ? (event.output['failure'] as Failure | undefined)
          : undefined;
        const failed = failure?.type === 'cancelled' ? 'cut-off' : 'failed';
        close(event.key, event.at, failure === undefined ? 'completed' : failed);
        break;
      }
      case 'question-asked':
        begin(event.key, { type: 'question', attempt: 1, started_at: event.at });
        break;
      case 'question-answered':
        close(event.key, event.at, 'completed');
        break;
      case 'branch-stopped':
      case 'branch-ended':
        // Open work has an end of its own.
        for (const [key, begun] of open)
          if (begun.type === 'question' && key.startsWith(`${event.key}/`)) close(key, event.at, 'cut-off');
        break;
      case 'run-resumed':
        // Questions stay open when a run is resumed; open work was interrupted when the last owner died.
        for (const [key, begun] of open) if (begun.type === 'work') close(key, lastAt, 'cut-off');
        break;
      case 'run-ended':
        for (const [key, begun] of open) if (begun.type === 'work') close(key, event.at, 'cut-off');
        break;
      case 'run-started':
      case 'process-started':
      case 'sleep-started':
      case 'sleep-ended':
      case 'time-read':
        break;
      default:
        skipUnknown(event);
    }
    lastAt = event.at;
  }
  for (const key of [...open.keys()]) close(key, now, 'running');
  return spans.sort((a, b) => (a.started_at < b.started_at ? -1 : a.started_at > b.started_at ? 1 : 0));
}
