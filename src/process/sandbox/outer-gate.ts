/**
 * The way out of a sandbox without network: an HTTP proxy on a unix socket that connects only to the allowed addresses (B4), through the
 * user's own proxy if there is one. Names are resolved outside: here, or by that proxy.
 */
import fs from 'node:fs';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { defined } from '../../model/defined.ts';
import { type HostPattern, isAllowed } from '../../model/host-pattern.ts';
import { connectProxy, openTunnel, ownProxy } from './own-proxy.ts';

type Environment = Parameters<typeof ownProxy>[0];

export interface OuterGate {
  readonly socket: string;
  close(): void;
}

/** `env`: the variables of the user's own proxy. */
export async function openOuterGate(hosts: readonly HostPattern[], env: Environment): Promise<OuterGate> {
  const folder = fs.mkdtempSync(join(os.tmpdir(), 'orchestrate-gate-'));
  const socket = join(folder, 'gate');
  const open = new Set<Socket>();
  const track = (each: Socket): void => {
    open.add(each);
    each.once('close', () => open.delete(each));
  };
  const server = http.createServer((request, response) => forward(request, response, { hosts, env }));
  server.on('connection', track);
  server.on('connect', (request, client: Socket, head) => {
    client.on('error', () => client.destroy());
    const target = endpointOf(`http://${request.url}`, 443);
    if (target === undefined || !isAllowed(hosts, target.host, target.port)) {
      client.end(`HTTP/1.1 403 Forbidden\r\n\r\n${refusal(request.url ?? '')}`);
      return;
    }
    const opened = (rest: Buffer): void => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.write(rest);
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    };
    const proxy = ownProxy(env, { ...target, isTunnel: true });
    const upstream =
      proxy === undefined
        ? connect(target.port, target.host, () => opened(Buffer.alloc(0)))
        : openTunnel(proxy, target, opened);
    track(upstream);
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve));
  return {
    socket,
    close() {
      server.close();
      for (const each of open) each.destroy();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A plain HTTP request, addressed as proxies are: with the whole URL. */
function forward(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { hosts, env }: { readonly hosts: readonly HostPattern[]; readonly env: Environment },
): void {
  const target = endpointOf(request.url ?? '', 80);
  if (target === undefined || !isAllowed(hosts, target.host, target.port)) {
    response.writeHead(403, { 'content-type': 'text/plain' }).end(refusal(request.url ?? ''));
    return;
  }
  const { method, headers } = request;
  const { host, port, path } = target;
  const proxy = ownProxy(env, { host, port, isTunnel: false });
  const way =
    proxy === undefined
      ? { host, port, path, headers }
      : {
          ...{ host: proxy.host, port: proxy.port, path: request.url ?? '' },
          createConnection: () => connectProxy(proxy, () => {}),
          headers: { ...headers, ...defined({ 'proxy-authorization': proxy.authorization }) },
        };
  const upstream = http.request({ method, ...way }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', () => response.destroy());
  response.on('close', () => upstream.destroy());
  request.pipe(upstream);
}

function refusal(address: string): string {
  return `the sandbox of this step does not allow ${address}; add it to \`allow_hosts\`\n`;
}

interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

function endpointOf(url: string, usualPort: number): Endpoint | undefined {
  try {
    const { protocol, hostname, port, pathname, search } = new URL(url);
    if (protocol !== 'http:') return undefined;
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    return { host, port: port === '' ? portIn(url, usualPort) : Number(port), path: `${pathname}${search}` };
  } catch {
    return undefined;
  }
}

/** A URL leaves out its usual port, so that `example.org:80` looks as if it had none. */
function portIn(url: string, usualPort: number): number {
  const [authority = ''] = url.slice('http://'.length).split('/');
  return /:80$/.test(authority) ? 80 : usualPort;
}
