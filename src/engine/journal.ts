/**
 * Where a run keeps its records, and what it hears from outside. On one machine these are files of the run's folder; with an engine that
 * uses several machines they are rows of a database. A run sees no difference.
 */
import type { Answer, JournalEvent } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import type { QuestionState } from '../model/run-state.ts';
import type { JournalMark } from '../store/journal-file.ts';
import type { OpenQuestions } from './run-host.ts';

/** The open journal of a run, held by its one owner. Its failures are `JournalWriteError`s, after which nothing more is accepted. */
export interface Journal {
  /** The state of the journal file in the run's folder. */
  readonly mark: JournalMark;
  /** Resolves when the record, and so every record before it, survives a crash (J2). */
  append(event: JournalEvent): Promise<void>;
  /** Kept in the order of the calls; saved with the next `append` at the latest. */
  appendNow(event: JournalEvent): void;
  /** Saves everything that was appended. */
  close(): void | Promise<void>;
  /** The run's folder was renamed. */
  movedTo(path: string): void;
}

/** What people and other programs answered. */
export interface Answers {
  /** The answer, or that the time has expired; undefined while the question is open. */
  find(key: StepKey, question: QuestionState | undefined): Answer | undefined;
  /** A question that is asked again starts without an answer: it is recorded once the earlier one is gone. Throws disk errors. */
  forget(key: StepKey): Promise<void> | undefined;
}

/** Whether one of the questions that a run waits for is no longer open. */
export function isAnswered(answers: Pick<Answers, 'find'>, questions: OpenQuestions = {}): boolean {
  return Object.entries(questions).some(
    ([key, question]) => answers.find(key as StepKey, question) !== undefined,
  );
}

/** What others ask of a run. */
export interface Requests {
  /** Removes what was asked of the previous owner. */
  clear(): void;
}

/** That this process, and no other, owns the run. */
export interface Ownership {
  release(): void;
  /** The run's folder was renamed. */
  movedTo(path: string): void;
}
