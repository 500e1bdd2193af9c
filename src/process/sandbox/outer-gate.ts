/**
 * The way out of a sandbox without network: an HTTP proxy on a unix socket that connects only to the allowed addresses (B4). Names are
 * resolved here, outside.
 */
import fs from 'node:fs';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { type HostPattern, isAllowed } from '../../model/host-pattern.ts';

export interface OuterGate {
  readonly socket: string;
  close(): void;
}

export async function openOuterGate(hosts: readonly HostPattern[]): Promise<OuterGate> {
  const folder = fs.mkdtempSync(join(os.tmpdir(), 'orchestrate-gate-'));
  const socket = join(folder, 'gate');
  const open = new Set<Socket>();
  const track = (each: Socket): void => {
    open.add(each);
    each.once('close', () => open.delete(each));
  };
  const server = http.createServer((request, response) => forward(request, response, hosts));
  server.on('connection', track);
  server.on('connect', (request, client: Socket, head) => {
    client.on('error', () => client.destroy());
    const target = endpointOf(`http://${request.url}`, 443);
    if (target === undefined || !isAllowed(hosts, target.host, target.port)) {
      client.end(`HTTP/1.1 403 Forbidden\r\n\r\n${refusal(request.url ?? '')}`);
      return;
    }
    const upstream = connect(target.port, target.host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
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
  hosts: readonly HostPattern[],
): void {
  const target = endpointOf(request.url ?? '', 80);
  if (target === undefined || !isAllowed(hosts, target.host, target.port)) {
    response.writeHead(403, { 'content-type': 'text/plain' }).end(refusal(request.url ?? ''));
    return;
  }
  const { method, headers } = request;
  const { host, port, path } = target;
  const upstream = http.request({ host, port, path, method, headers }, (answer) => {
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
