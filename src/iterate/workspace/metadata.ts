/** `.metadata.json`: the settings, counters and status of a workspace. Unknown fields are kept. */
import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import { error, ok } from '../../model/result.ts';
import type { DocumentParser } from '../../store/document.ts';
import type { CountedBefore, StopReason } from '../input.ts';
import { MODES, type Mode, NOTIFY_EVENTS } from '../mode.ts';

const count = v.pipe(
  v.number('must be a number'),
  v.integer('must be a whole number'),
  v.minValue(0, 'must not be negative'),
);
const text = v.string('must be a string');
const time = v.pipe(
  text,
  v.check((at) => !Number.isNaN(Date.parse(at)), 'must be a time'),
);

export const WORKSPACE_STATUSES = ['in_progress', 'completed', 'error'] as const;

const status = v.picklist(WORKSPACE_STATUSES, 'must be in_progress, completed or error');

const verification = v.looseObject({
  verificationAttempts: v.optional(count),
  lastVerificationStatus: v.optional(v.picklist(['pass', 'fail', 'needs_review', 'not_run'])),
  lastVerificationTime: v.optional(time),
  verifyResumeCycles: v.optional(count),
});

/** The progress of the last run. */
const run = v.looseObject({
  id: text,
  iteration: count,
  maxIterations: count,
  /** Consecutive iterations without work. */
  noWork: count,
  remaining: v.nullable(count),
  summary: v.optional(text),
});

/** The last rollback: of which run, after which iteration, and to which. */
const rollback = v.looseObject({
  run: text,
  from: count,
  to: count,
  /** What the workspace was before it, for the way back. */
  undone: v.optional(v.looseObject({ status, stopReason: v.optional(text) })),
  /** One that has not finished: to which iteration, and the name of its record. */
  begun: v.optional(v.looseObject({ to: count, record: v.pipe(text, v.regex(/^rollback-[0-9TZ]+$/)) })),
});

const shape = v.looseObject(
  {
    name: text,
    created: time,
    lastRun: v.optional(time),
    status,
    stopReason: v.optional(text),
    totalIterations: count,
    setupIterations: count,
    executionIterations: count,
    mode: v.optional(v.picklist(MODES, 'must be loop or iterative')),
    maxIterations: v.optional(v.pipe(count, v.minValue(1, 'must be at least 1'))),
    delay: v.optional(v.pipe(v.number('must be a number'), v.minValue(0, 'must not be negative'))),
    stagnationThreshold: v.optional(count),
    notifyUrl: v.optional(text),
    notifyEvents: v.optional(v.array(v.picklist(NOTIFY_EVENTS), 'must be a list of events')),
    verification: v.optional(verification),
    config: v.optional(v.record(v.string(), v.unknown(), 'must be an object')),
    run: v.optional(run),
    rollback: v.optional(rollback),
  },
  (issue) => (issue.path === undefined ? 'must be an object' : 'is missing'),
);

/** Workspaces of the original tool may lack these. */
const DEFAULTS = { mode: 'loop' } as const;

export type Metadata = v.InferOutput<typeof shape> & { readonly mode: Mode };
export type VerificationStatus = 'pass' | 'fail' | 'needs_review';

export const parseMetadata: DocumentParser<Metadata> = (value) => {
  const parsed = v.safeParse(shape, value);
  if (parsed.success) return ok({ ...DEFAULTS, ...(value as unknown as Metadata) });
  return error(parsed.issues.map((issue) => `\`${v.getDotPath(issue) ?? 'document'}\` ${issue.message}`));
};

/** The status of a workspace after its loop ended. Stagnation counts as completed; `stopReason` distinguishes the two. */
export function statusAfter(reason: StopReason): (typeof WORKSPACE_STATUSES)[number] {
  if (reason === 'complete' || reason === 'stagnation') return 'completed';
  return reason === 'failed' || reason === 'abort' ? 'error' : 'in_progress';
}

export type NewMetadata = Pick<Metadata, 'name' | 'mode'> & Partial<Metadata>;

export function createMetadata(given: NewMetadata, now: Date): Metadata {
  return {
    created: now.toISOString(),
    status: 'in_progress',
    totalIterations: 0,
    setupIterations: 0,
    executionIterations: 0,
    ...given,
  };
}

export function countedBefore(document: JsonObject): CountedBefore {
  const number = (key: string): number => (typeof document[key] === 'number' ? (document[key] as number) : 0);
  return { totalIterations: number('totalIterations'), executionIterations: number('executionIterations') };
}
