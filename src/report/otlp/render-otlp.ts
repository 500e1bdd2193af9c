/** Spans as OTLP over JSON: `POST /v1/traces`. */
import { defined } from '../../model/defined.ts';
import { type OtelEnvironment, traceIdOf } from '../../model/trace-ids.ts';
import type { TraceSpan } from './trace.ts';

const INTERNAL = 1;
const FAILED = 2;

export function renderOtlp(runId: string, spans: readonly TraceSpan[], env: OtelEnvironment): string {
  const traceId = traceIdOf(runId);
  const resource = { attributes: listed(resourceAttributes(env)) };
  const scopeSpans = [{ scope: { name: 'orchestrate' }, spans: spans.map((span) => asOtlp(traceId, span)) }];
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] });
}

function asOtlp(traceId: string, span: TraceSpan): object {
  const { id, parentId, name, startedAt, endedAt, attributes, error } = span;
  return {
    ...{ traceId, spanId: id, ...defined({ parentSpanId: parentId }) },
    ...{ name, kind: INTERNAL },
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: listed(attributes),
    status: error === undefined ? {} : { code: FAILED, message: error },
  };
}

/** As text: the number is too large for JSON. */
function nanoseconds(at: string): string {
  return `${Date.parse(at)}000000`;
}

/** `OTEL_RESOURCE_ATTRIBUTES=team=web,region=eu` and `OTEL_SERVICE_NAME`. */
function resourceAttributes(env: OtelEnvironment): { readonly [name: string]: string } {
  const given = (env['OTEL_RESOURCE_ATTRIBUTES'] ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const];
  });
  const all: { [name: string]: string } = { 'service.name': 'orchestrate', ...Object.fromEntries(given) };
  if (env['OTEL_SERVICE_NAME']) all['service.name'] = env['OTEL_SERVICE_NAME'];
  return all;
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function listed(attributes: { readonly [name: string]: string | number | boolean }): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: typed(value) }));
}

function typed(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
