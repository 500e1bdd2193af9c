/** One step of a run: what it was asked, what came of it, and which logs it has. Read from the journal by offset. */
import type { IndexRow } from '../../engine/index-row.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { readRecordAt } from '../../store/journal-tail.ts';
import { stepFileStem } from '../../store/layout.ts';
import { type LogFile, type LogKind, logFiles, stemOf } from '../runs/log-files.ts';
import { logSize } from '../runs/read-log.ts';
import type { LiveRun } from './live-run.ts';
import { type StepRow, stepRow } from './step-row.ts';

export interface StepDetail {
  readonly row: StepRow;
  /** What it was asked: a command, the choice of an agent. Without its environment. */
  readonly asked?: JsonValue;
  /** What it recorded: exit code, captured output, files, why it failed. */
  readonly record?: JsonValue;
  /** What was checked after it. */
  readonly proof?: JsonValue;
  /** Its logs, prompts and responses; `try` counts the files of one stream. */
  readonly logs: readonly StepLog[];
  /** Its stdout is the stream of an agent: it has a transcript. */
  readonly adapter?: string;
}

export interface StepLog {
  readonly stream: LogKind;
  readonly try: number;
  readonly name: string;
  readonly bytes: number;
}

const STREAMS: readonly LogKind[] = ['stdout', 'stderr', 'prompt', 'response'];

export function readStep(run: LiveRun, row: IndexRow): StepDetail {
  const started = recordAt(run, row.startOffset);
  const ended = recordAt(run, row.endOffset);
  const proof = recordAt(run, row.proofOffset);
  const asked = started?.type === 'step-started' ? withoutEnvironment(started.input) : undefined;
  const record = ended?.type === 'step-ended' ? ended.output : undefined;
  return {
    row: stepRow(run, row),
    ...defined({ asked, record, adapter: row.adapter }),
    ...(proof?.type === 'step-ended' ? { proof: proof.output } : {}),
    logs: STREAMS.flatMap((stream) =>
      logsOf(run, row, stream).map(({ name, path }, index) => ({
        ...{ stream, try: index + 1, name, bytes: logSize(path) },
      })),
    ),
  };
}

/** The files of one stream, oldest first: one for every attempt, re-ask and fallback. */
export function logsOf({ paths }: LiveRun, { key }: IndexRow, kind: LogKind): readonly LogFile[] {
  try {
    const stem = stepFileStem(key, 1);
    return logFiles(paths, { kind, includes: (name) => stemOf(name) === stem, attempt: undefined });
  } catch {
    // The folder of logs is gone or is not one.
    return [];
  }
}

function recordAt({ paths }: LiveRun, offset: number | undefined): JournalEvent | undefined {
  if (offset === undefined) return undefined;
  try {
    return readRecordAt(paths.journal, offset);
  } catch {
    // The journal is gone: the row says what is known.
    return undefined;
  }
}

/** Names of variables are the user's business; their values are nobody's (S11). */
function withoutEnvironment(input: JsonValue): JsonValue {
  if (!isJsonObject(input)) return input;
  const { env: _env, environment: _environment, secrets: _secrets, ...rest } = input;
  return rest satisfies JsonObject;
}
