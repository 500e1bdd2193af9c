import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Call } from '../../model/advice.ts';
import { howToType } from '../../model/how-to-type.ts';
import type { ProblemKind } from '../../model/problem-form.ts';
import type { Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import { problemData } from '../../operations/problem-data.ts';
import type { Addressed } from '../../operations/problems/doors.ts';

/** What a route answers; turned into bytes in one place. */
export type Answer =
  | { readonly type: 'json'; readonly status: number; readonly body: unknown }
  | {
      readonly type: 'bytes';
      readonly body: Buffer | string;
      readonly headers: OutgoingHttpHeaders;
    }
  /** The route writes by itself. */
  | { readonly type: 'taken' };

export const STATUS: { readonly [Kind in ProblemKind]: number } = {
  'not-found': 404,
  invalid: 400,
  conflict: 409,
  held: 423,
  failed: 500,
};

/** S6, S7: on every answer. */
const HEADERS: OutgoingHttpHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export function json(body: unknown, status = 200): Answer {
  return { type: 'json', status, body };
}

export function notFound(what: Addressed): Answer {
  return problem({ type: 'nothing-there', what });
}

export function given<Value>(
  result: Result<Value, Problem>,
  shown: (value: Value) => unknown = (value) => value,
): Answer {
  return result.type === 'ok' ? json(shown(result.value)) : problem(result.error);
}

/** The status is that of its kind, unless HTTP has a more exact one. */
export function problem(found: Problem, status?: number): Answer {
  const data = problemData(found, howToClick);
  return json({ problem: data }, status ?? STATUS[data['kind'] as ProblemKind]);
}

/** How the page names an operation. */
export function howToClick(call: Call): string {
  switch (call.operation) {
    case 'list-runs':
      return '*Runs*';
    case 'start-workflow':
      return '*Start a workflow*';
    case 'resume-run':
      return call.changes === undefined ? '*Resume*' : howToType(call);
    case 'fork-run':
      return '*Fork*';
    case 'cancel-run':
      return '*Cancel run*';
    case 'trust':
      return '`orchestrate run --trust`';
    case 'give-inputs':
      return 'the fields of *Start a workflow*';
    case 'list-sessions':
    case 'list-tasks':
      return '*Sessions*';
    case 'change-phase':
      return BUTTONS[call.change];
    default:
      // Partial: what the page has no button for is a command.
      return howToType(call);
  }
}

const BUTTONS = {
  start: '*Start*',
  complete: '*Complete*',
  fail: '*Mark failed*',
  retry: '*Retry*',
} as const;

/** How the client wants its answer. */
export interface Wanted {
  readonly isHead: boolean;
  /**
   * The status of a problem is in the header `x-status`, and that of the answer is 200. A browser prints every other answer in its console, and what the page
   * asks for may have been removed a moment ago, which is not an error of the page.
   */
  readonly isProblemQuiet: boolean;
}

export function wantedBy({ method, headers }: IncomingMessage): Wanted {
  return { isHead: method === 'HEAD', isProblemQuiet: headers['prefer'] === QUIET };
}

const QUIET = 'problems=in-body';

export function send(response: ServerResponse, answer: Answer, wanted: Wanted): void {
  if (answer.type === 'taken') return;
  const isJson = answer.type === 'json';
  const body = isJson ? Buffer.from(JSON.stringify(answer.body)) : Buffer.from(answer.body);
  const status = isJson ? answer.status : 200;
  const isQuiet = wanted.isProblemQuiet && status >= 400;
  response.writeHead(isQuiet ? 200 : status, {
    ...HEADERS,
    ...(isQuiet ? { 'x-status': status, 'preference-applied': QUIET } : {}),
    ...(isJson ? { 'content-type': 'application/json; charset=utf-8' } : answer.headers),
    'content-length': body.length,
  });
  response.end(wanted.isHead ? undefined : body);
}

export function headersOf(own: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return { ...HEADERS, ...own };
}
