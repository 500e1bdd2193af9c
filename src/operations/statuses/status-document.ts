/** `status/v1`: the file in which an agent reports how its step went. Paths in it are relative to the workspace. */
import * as v from 'valibot';
import { describeFailure } from '../../model/describe-failure.ts';
import { isSafeName } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { resolveInside } from '../../store/safe-path.ts';

export const STATUS_SCHEMA = 'status/v1';

const text = v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty'));
const agentName = v.pipe(
  v.string('must be a text'),
  v.check(isSafeName, 'must contain only letters, digits, `_`, `.` and `-`'),
);

const statusShape = v.looseObject(
  {
    schema: v.literal(STATUS_SCHEMA, `must be \`${STATUS_SCHEMA}\``),
    correlation_id: v.optional(text),
    agent: agentName,
    run_id: v.optional(text),
    step: text,
    timestamp: v.pipe(
      v.string('must be a text'),
      v.check(
        (at) => /^\d{4}-\d\d-\d\dT/.test(at) && !Number.isNaN(Date.parse(at)),
        'must be a time such as 2026-01-31T12:00:00Z',
      ),
    ),
    success: v.boolean('must be true or false'),
    exit_code: v.pipe(v.number('must be a number'), v.integer('must be a whole number')),
    outputs: v.optional(v.array(text, 'must be a list of paths')),
    metrics: v.optional(
      v.record(
        v.string(),
        v.union([v.number(), v.string(), v.boolean()], 'must be a number, a text, true or false'),
        'must be an object of metrics',
      ),
    ),
    next_actions: v.optional(
      v.array(
        v.looseObject({ agent: agentName, file: text }, 'must be an object with `agent` and `file`'),
        'must be a list',
      ),
    ),
    message: v.optional(v.string('must be a text')),
  },
  'must be an object',
);

export type StatusDocument = v.InferOutput<typeof statusShape>;

export interface StatusProblem {
  /** Path in the document: `outputs`, 1. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Reports all errors at once: wrong structure, and paths that leave the workspace. */
export function parseStatus(
  value: JsonValue,
  workspace: string,
): Result<StatusDocument, readonly StatusProblem[]> {
  const parsed = v.safeParse(statusShape, value);
  if (!parsed.success) return error(parsed.issues.map(problemOf));
  const status = parsed.output;
  const problems: StatusProblem[] = [];
  const check = (path: readonly (string | number)[], file: string): void => {
    const resolved = resolveInside(workspace, file);
    if (resolved.type === 'error') problems.push({ path, message: describeFailure(resolved.error) });
  };
  for (const [index, file] of (status.outputs ?? []).entries()) check(['outputs', index], file);
  for (const [index, action] of (status.next_actions ?? []).entries())
    check(['next_actions', index, 'file'], action.file);
  return problems.length === 0 ? ok(status) : error(problems);
}

/** `next_actions[0].file`; `$` for the whole document. */
export function pathText(path: readonly (string | number)[]): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return text === '' ? '$' : text.replace(/^\./, '');
}

function problemOf(issue: v.BaseIssue<unknown>): StatusProblem {
  const path = (issue.path ?? []).map((item) => item.key as string | number);
  return { path, message: issue.received === 'undefined' ? 'is missing' : issue.message };
}
