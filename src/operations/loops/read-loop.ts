import fs from 'node:fs';
import { shownSettings } from '../../iterate/notify-address.ts';
import type { Metadata } from '../../iterate/workspace/metadata.ts';
import {
  parseStatus,
  readTodo,
  remainingIn,
  remainingInTodo,
  type Status,
  statusProblem,
} from '../../iterate/workspace/status.ts';
import { readTextIfThere } from '../../iterate/workspace/workspaces.ts';
import { defined } from '../../model/defined.ts';
import { ok, type Result } from '../../model/result.ts';
import type { LimitState } from '../../model/run-state.ts';
import { heldBy } from '../../store/lock.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { openLoop } from './site/find-loop.ts';
import { type LeftState, leftStateOf } from './site/left-state.ts';
import type { OfLoop } from './site/loops.ts';
import { usageLimitOf } from './site/usage-limit.ts';

export interface ReadLoop {
  readonly folder: string;
  readonly metadata: Metadata;
  readonly hasInstructions: boolean;
  /** The status file, or the sentence saying why it cannot be used. Absent: none has been written. */
  readonly status?: Result<Status, string>;
  /** What is wrong with the status file, even if the rest can be used. */
  readonly statusProblem?: string;
  /** Items left, from the status file or else from `TODO.md`. */
  readonly remaining?: number;
  /** The process that is running it. */
  readonly pid?: number;
  /** The usage limit it is waiting for. */
  readonly limit?: LimitState;
  readonly left?: LeftState;
}

export function readLoop(site: Site, asked: OfLoop): Result<ReadLoop, Problem> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { paths, metadata } = opened.value.workspace;
  const text = readTextIfThere(paths.status);
  const status = text === undefined ? undefined : parseStatus(text);
  const remaining =
    status?.type === 'ok'
      ? remainingIn(status.value)
      : remainingInTodo(readTodo(readTextIfThere(paths.todo) ?? ''));
  const pid = heldBy(paths.lock)?.owner.pid;
  const limit = usageLimitOf(site, metadata);
  return ok({
    folder: paths.folder,
    metadata: shownSettings(metadata),
    hasInstructions: fs.existsSync(paths.instructions),
    ...defined({
      status,
      statusProblem: text === undefined ? undefined : statusProblem(text),
      remaining,
      pid,
      limit,
      left: leftStateOf(site, metadata),
    }),
  });
}
