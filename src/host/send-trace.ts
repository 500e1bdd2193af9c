/**
 * Sends the spans of a run to the collector that the user's environment names (`OTEL_EXPORTER_OTLP_ENDPOINT`), when a process that worked on it
 * ends. Nothing is sent otherwise, and a collector that cannot be reached is a warning, never a failure.
 */
import type { JournalEvent } from '../model/event.ts';
import type { RunId } from '../model/ids.ts';
import { type OtelEnvironment, tracesEndpoint } from '../model/trace-ids.ts';
import { readRunWithEvents } from '../operations/runs/read-run.ts';
import type { Site } from '../operations/site.ts';
import { maskText } from '../process/mask.ts';
import { decoded, renderOtlp } from '../report/otlp/render-otlp.ts';
import { type TraceSpan, traceOf } from '../report/otlp/trace.ts';

const SPANS_A_REQUEST = 1000;
const USUAL_TIMEOUT_MS = 10_000;

export interface SendTrace {
  readonly site: Pick<Site, 'workspace' | 'environment'>;
  readonly runId: RunId;
  /** Values to mask, in case a span contains one anyway. */
  readonly secrets: readonly string[];
  onProblem(problem: string): void;
}

export async function sendTrace({ site, runId, secrets, onProblem }: SendTrace): Promise<void> {
  const env: OtelEnvironment = site.environment;
  const endpoint = tracesEndpoint(env);
  if (endpoint === undefined) return;
  const run = readRunWithEvents(site, runId);
  if (run.type === 'error') return;
  const { events } = run.value;
  const content = env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']?.toLowerCase() === 'true';
  const spans = traceOf(events, { content, now: new Date().toISOString() });
  try {
    const { url, signIn } = addressOf(endpoint);
    const signal = AbortSignal.timeout(timeoutIn(env));
    const news = sinceLastSent(spans, events);
    for (let from = 0; from < news.length; from += SPANS_A_REQUEST) {
      const body = maskText(renderOtlp(runId, news.slice(from, from + SPANS_A_REQUEST), env), secrets);
      const headers = { ...signIn, ...headersIn(env), 'content-type': 'application/json' };
      const answer = await fetch(url, { method: 'POST', headers, body, signal });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    }
  } catch (cause) {
    onProblem(`spans were not sent to ${shown(endpoint)}: ${reasonOf(cause)}`);
  }
}

/** What has ended since an earlier process sent its part, with everything that contains it (T1). A process that was killed has sent nothing. */
function sinceLastSent(spans: readonly TraceSpan[], events: readonly JournalEvent[]): readonly TraceSpan[] {
  const begun = events.findLastIndex(({ type }) => type === 'run-started' || type === 'run-resumed');
  const sentAt = events.slice(0, Math.max(0, begun)).findLast(({ type }) => type === 'run-ended')?.at ?? '';
  const byId = new Map(spans.map((span) => [span.id, span]));
  const wanted = new Set<TraceSpan>();
  for (const span of spans) {
    if (span.endedAt <= sentAt) continue;
    for (let each: TraceSpan | undefined = span; each !== undefined && !wanted.has(each); ) {
      wanted.add(each);
      each = each.parentId === undefined ? undefined : byId.get(each.parentId);
    }
  }
  return spans.filter((span) => wanted.has(span));
}

/** `api-key=…,tenant=…`, percent-encoded. */
function headersIn(env: OtelEnvironment): { readonly [name: string]: string } {
  const text = env['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] || env['OTEL_EXPORTER_OTLP_HEADERS'] || '';
  return Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const];
    }),
  );
}

/** A request takes no password in its address. */
function addressOf(endpoint: string): {
  readonly url: URL;
  readonly signIn: { readonly authorization?: string };
} {
  const url = new URL(endpoint);
  const user = `${decoded(url.username)}:${decoded(url.password)}`;
  url.username = '';
  url.password = '';
  return {
    url,
    signIn: user === ':' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` },
  };
}

function timeoutIn(env: OtelEnvironment): number {
  const given = Number(env['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT'] || env['OTEL_EXPORTER_OTLP_TIMEOUT'] || '');
  return Number.isInteger(given) && given > 0 ? given : USUAL_TIMEOUT_MS;
}

/** Without a password. */
function shown(endpoint: string): string {
  try {
    return new URL(endpoint).host;
  } catch {
    return 'the collector';
  }
}

/** Never with the address, which may have a password. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return 'no answer in time';
  if (cause.message.startsWith('HTTP ')) return cause.message;
  const { code } = (cause.cause ?? cause) as NodeJS.ErrnoException;
  return code === 'ERR_INVALID_URL' ? 'it is not a URL' : (code ?? cause.name);
}
