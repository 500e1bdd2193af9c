/** The end of what the steps of a run wrote, for readers that cannot take a whole log. */
import { defined } from '../../model/defined.ts';
import { ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { stepKeysIn } from './find-step.ts';
import { type LogKind, logFiles } from './log-files.ts';
import { findSteps, LogSteps } from './log-steps.ts';
import { logSize, readLog } from './read-log.ts';
import { readRunWithEvents } from './read-run.ts';

export interface TailLogs {
  readonly run: string;
  /** Default: all steps. */
  readonly step?: string | undefined;
  readonly kind: LogKind;
  readonly attempt?: number | undefined;
  /** The most bytes of each log. */
  readonly mostBytes: number;
  /** The last logs; earlier ones are only counted. */
  readonly mostLogs: number;
}

export interface LogTails {
  readonly runId: string;
  readonly logs: readonly LogTail[];
  /** Logs before these. */
  readonly left: number;
}

export interface LogTail {
  readonly name: string;
  readonly step?: string;
  readonly size: number;
  /** The byte that `text` starts at. */
  readonly from: number;
  readonly text: string;
}

export function tailLogs(site: Pick<Site, 'workspace'>, asked: TailLogs): Result<LogTails, Problem> {
  const read = readRunWithEvents(site, asked.run);
  if (read.type === 'error') return read;
  const { runId, events, paths } = read.value;
  const named = asked.step === undefined ? undefined : findSteps(events, asked.step);
  if (named?.type === 'error') return named;
  const steps = new LogSteps(() => events);
  const includes = (name: string): boolean => {
    const key = steps.keyOf(name);
    return key !== undefined && (named === undefined || named.value.includes(key));
  };
  const { kind, attempt } = asked;
  const files = logFiles(paths, { kind, includes, attempt }, stepKeysIn(events));
  const last = files.slice(-asked.mostLogs);
  const logs = last.map(({ name, path }) => {
    const size = logSize(path);
    const from = Math.max(0, size - asked.mostBytes);
    const bytes = Buffer.concat([...readLog(path, { from, to: size })].map((part) => Buffer.from(part)));
    const step = steps.keyOf(name);
    return { name, ...defined({ step }), size, from, text: bytes.toString('utf8') };
  });
  return ok({ runId, logs, left: files.length - last.length });
}
