/** The ids of a run's trace and its spans follow from the run and the key, so a resumed run continues its trace. */
import { sha256 } from './sha256.ts';

export function traceIdOf(runId: string): string {
  return sha256(`trace ${runId}`).slice(0, 32);
}

/** `key` is empty for the run itself. */
export function spanIdOf(runId: string, key: string): string {
  return sha256(`span ${runId} ${key}`).slice(0, 16);
}

/** The span of one attempt of a call. */
export function attemptSpanIdOf(runId: string, key: string, attempt: number): string {
  return spanIdOf(runId, `${key} attempt ${attempt}`);
}

export type OtelEnvironment = { readonly [name: string]: string | undefined };

/** Where spans are sent, by the variables that every OpenTelemetry program has. Undefined: nowhere. */
export function tracesEndpoint(env: OtelEnvironment): string | undefined {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none')
    return undefined;
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  if (own) return own;
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return base ? `${base.replace(/\/+$/, '')}/v1/traces` : undefined;
}

/** The variable that tells an agent which span it works in, so that its own spans become part of the trace. */
export function traceParent(
  env: OtelEnvironment,
  call: { readonly runId: string; readonly key: string; readonly attempt: number },
): { readonly TRACEPARENT?: string } {
  if (tracesEndpoint(env) === undefined) return {};
  const { runId, key, attempt } = call;
  return { TRACEPARENT: `00-${traceIdOf(runId)}-${attemptSpanIdOf(runId, key, attempt)}-01` };
}
