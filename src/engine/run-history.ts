/** What the journal of a run adds up to for its next owner, in one pass: no event is kept except the milestones. */
import type { JournalEvent } from '../model/event.ts';
import { ok, type Result } from '../model/result.ts';
import {
  type JournalDamage,
  type JournalFile,
  type JournalMark,
  openJournal,
  openMarkedJournal,
} from '../store/journal-file.ts';
import { StateFold } from './fold-state.ts';
import { isMilestone, type Milestone } from './milestone.ts';
import { OpenProcesses } from './open-processes.ts';
import { type Recorded, RecordedFold } from './recorded.ts';

export class RunHistory {
  readonly fold = new StateFold();
  readonly processes = new OpenProcesses();
  readonly milestones: Milestone[] = [];
  readonly #recording = new RecordedFold();
  /** Number of events. */
  records = 0;
  last: JournalEvent | undefined;
  /** The journal it was read from, if that is intact to its end. */
  mark: JournalMark | undefined;

  get recorded(): Recorded {
    return this.#recording.recorded;
  }

  apply(event: JournalEvent): void {
    this.fold.apply(event);
    this.processes.apply(event);
    this.record(event);
    if (isMilestone(event)) this.milestones.push(event);
    this.records += 1;
    this.last = event;
  }

  /** For an event that the owner is about to write: the views get it when it is written. */
  record(event: JournalEvent): void {
    this.#recording.apply(event);
  }
}

/** Opens the journal for the owner of the run. It is read only if it has changed since `earlier` was read from it. */
export function openWithHistory(
  path: string,
  earlier: RunHistory | undefined,
): Result<
  { readonly journal: JournalFile; readonly history: RunHistory; readonly cutBytes: number },
  JournalDamage
> {
  const known = earlier?.mark === undefined ? undefined : openMarkedJournal(path, earlier.mark);
  if (earlier !== undefined && known !== undefined)
    return ok({ journal: known, history: earlier, cutBytes: 0 });
  const history = new RunHistory();
  const opened = openJournal(path, { visit: (event) => history.apply(event), detail: 'essential' });
  return opened.type === 'ok' ? ok({ ...opened.value, history }) : opened;
}
