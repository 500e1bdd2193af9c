/** Runs as traces, received by a real collector on loopback. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Ended, until, Workspace } from '../rig/orchestrate.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly [type: string]: unknown };
  }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly spans: readonly Span[];
}

function spansIn(body: string): readonly Span[] {
  const { resourceSpans } = JSON.parse(body);
  return resourceSpans.flatMap((each: { scopeSpans: { spans: Span[] }[] }) =>
    each.scopeSpans.flatMap(({ spans }) => spans),
  );
}

function attributesOf({ attributes }: Span): { readonly [key: string]: unknown } {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

async function startCollector(
  status = 200,
): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ path: request.url ?? '', headers: request.headers, body, spans: spansIn(body) });
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Nothing listens there. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const SECRET = 'made-up-secret-7261';
/** A loop, an agent of each kind, a question and a failure that is allowed. */
const WORKFLOW = `name: ship
providers:
  tell: {command: [sh, -c, 'echo "$TRACEPARENT" >> parents; cat "$1" > /dev/null', sh, w.yaml], input_mode: stdin}
steps:
  - name: Each
    for_each:
      items: [a, b]
      steps:
        - {name: Think, provider: mock, prompt: "A private thought about \${item}."}
        - {name: Tell, provider: tell, prompt: Private words.}
  - {name: Broken, command: [sh, -c, "echo $TOKEN; exit 3"], secrets: [TOKEN], allow_failure: true}
  - {name: Go, approve: {message: "Ship it?", choices: [yes, no]}}
  - {name: After, command: [echo, shipped]}
`;

describe('a run with a collector', { timeout: 120_000 }, () => {
  let workspace: Workspace;
  beforeEach(() => {
    workspace = new Workspace({ 'w.yaml': WORKFLOW });
  });
  const run = (argv: readonly string[], env: { readonly [name: string]: string }): Promise<Ended> =>
    workspace.run(argv, { env: { TOKEN: SECRET, ...env } });

  it('sends a trace in which every parent exists, and which a resumed run continues', async () => {
    const { url, received } = await startCollector();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${url.replace('http://', 'http://me:pass%20word@')}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=k%201,tenant=t',
      OTEL_SERVICE_NAME: 'nightly',
    };
    expect(await run(['run', 'w.yaml', '--trust'], env)).toMatchObject({ exitCode: 3 });
    expect(received).toHaveLength(1);
    const [first] = received;
    expect(first?.path).toBe('/v1/traces');
    const authorization = `Basic ${Buffer.from('me:pass word').toString('base64')}`;
    expect(first?.headers).toMatchObject({ 'api-key': 'k 1', tenant: 't', authorization });
    expect(first?.body).toContain('{"key":"service.name","value":{"stringValue":"nightly"}}');
    await workspace.run(['approve', 'last', 'Go', '--choose', 'yes']);
    expect(await run(['resume', 'last'], env)).toMatchObject({ exitCode: 0 });
    expect(received).toHaveLength(2);
    for (const { spans } of received) {
      const ids = new Set(spans.map(({ spanId }) => spanId));
      expect(ids.size).toBe(spans.length);
      const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
      expect(roots.map(({ name }) => name)).toEqual(['workflow ship']);
      for (const { parentSpanId } of spans)
        if (parentSpanId !== undefined) expect(ids).toContain(parentSpanId);
      for (const span of spans) {
        expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
        expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
        expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
      }
    }
    const all = received.flatMap(({ spans }) => spans);
    expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1);
    // Only what is new, and what contains it.
    expect(received[1]?.spans.map(({ name }) => name).sort()).toEqual(['After', 'Go', 'workflow ship']);
    expect(received[0]?.spans[0]?.spanId).toBe(received[1]?.spans[0]?.spanId);
    expect(attributesOf(received[1]?.spans[0] as Span)).toMatchObject({
      'orchestrate.run.id': workspace.runs()[0],
      'orchestrate.run.status': 'completed',
      'orchestrate.workflow.file': 'w.yaml',
    });
    const names = first?.spans.map(({ name }) => name) ?? [];
    expect(names.filter((name) => name === 'invoke_agent mock')).toHaveLength(2);
    expect(names.filter((name) => name === 'invoke_agent tell')).toHaveLength(2);
    const parentOf = ({ parentSpanId }: Span) => first?.spans.find(({ spanId }) => spanId === parentSpanId);
    const call = first?.spans.find(({ name }) => name === 'invoke_agent mock') as Span;
    const chain = [call, parentOf(call), parentOf(parentOf(call) as Span)].map((span) => span?.name);
    expect(chain).toEqual(['invoke_agent mock', 'Think', 'Each']);
    expect(attributesOf(call)).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'mock',
      'orchestrate.step.key': 'Each/0/Think',
      'orchestrate.attempt': '1',
      'orchestrate.step.outcome': 'done',
    });
    const broken = first?.spans.find(({ name }) => name === 'Broken') as Span;
    expect(broken.status).toEqual({ code: 2, message: 'exit-code' });
    expect(attributesOf(broken)).toMatchObject({ 'process.exit.code': '3', 'error.type': 'exit-code' });
    // The agent knows its span.
    const told = workspace.read('parents').trim().split('\n');
    const calls = first?.spans.filter(({ name }) => name === 'invoke_agent tell') ?? [];
    expect(told.sort()).toEqual(calls.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`).sort());
    const sent = received.map(({ body }) => body).join('\n');
    for (const content of ['private', 'Private', SECRET, 'Ship it?', 'k 1'])
      expect(sent).not.toContain(content);
  });

  it('sends prompts and answers only if asked to, and never a secret', async () => {
    const { url, received } = await startCollector();
    await run(['run', 'w.yaml', '--trust'], {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/own`,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      OTEL_RESOURCE_ATTRIBUTES: `note=${SECRET},team=web`,
    });
    expect(received.map(({ path }) => path)).toEqual(['/own']);
    expect(received[0]?.body).toContain('A private thought about a.');
    expect(received[0]?.body).toContain('{"key":"team","value":{"stringValue":"web"}}');
    expect(received[0]?.body).not.toContain(SECRET);
  });

  it('what a killed process did is sent by the next one', async () => {
    const { url, received } = await startCollector();
    workspace.write({
      'w.yaml':
        'steps:\n  - {name: A, command: [echo, a]}\n  - {name: B, command: [sh, -c, "until [ -e go ]; do sleep 0.02; done"]}\n',
    });
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
    const started = workspace.start(['run', 'w.yaml'], { env });
    await until(
      () =>
        workspace.runs().length > 0 &&
        workspace.journal().filter(({ type }) => type === 'process-started').length === 2,
    );
    started.child.kill('SIGKILL');
    await started.ended;
    expect(received).toEqual([]);
    workspace.write({ go: '' });
    expect(await run(['resume', 'last'], env)).toMatchObject({ exitCode: 0 });
    expect(received[0]?.spans.map(({ name }) => name).sort()).toEqual(['A', 'B', 'workflow w']);
  });

  it.each([
    ['refuses', async (): Promise<string> => (await startCollector(503)).url, 'HTTP 503'],
    ['is not there', async (): Promise<string> => `http://127.0.0.1:${await freePort()}`, 'ECONNREFUSED'],
    ['has no address', async (): Promise<string> => 'nonsense', 'the collector: it is not a URL'],
  ] as const)('a collector that %s is only a warning', async (_, address, reason) => {
    workspace.write({ 'w.yaml': 'steps:\n  - {name: A, command: [echo, a]}\n' });
    const OTEL_EXPORTER_OTLP_ENDPOINT = (await address()).replace('http://', 'http://me:password@');
    const ended = await run(['run', 'w.yaml'], { OTEL_EXPORTER_OTLP_ENDPOINT });
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(ended.stderr).toMatch(/spans were not sent to /);
    expect(ended.stderr).toContain(reason);
    expect(ended.stderr).not.toContain('password');
  });

  it.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])(
    'sends nothing if that is switched off: %o',
    async (off) => {
      const { url, received } = await startCollector();
      workspace.write({ 'w.yaml': 'steps:\n  - {name: A, command: [echo, a]}\n' });
      await run(['run', 'w.yaml'], { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...off });
      expect(received).toEqual([]);
    },
  );

  it('sends nothing, and tells agents nothing, without an address', async () => {
    await run(['run', 'w.yaml', '--trust'], {});
    expect(workspace.read('parents')).toBe('\n\n');
  });

  it('`report --format otlp` prints the same trace for a run that was never sent', async () => {
    const { url, received } = await startCollector();
    await run(['run', 'w.yaml', '--trust'], { OTEL_EXPORTER_OTLP_ENDPOINT: url });
    const printed = await workspace.run(['report', 'last', '--format', 'otlp']);
    expect(printed.exitCode).toBe(0);
    expect(spansIn(printed.stdout)).toEqual(received[0]?.spans);
  });
});
