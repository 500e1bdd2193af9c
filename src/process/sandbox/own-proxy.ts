/**
 * The user's own proxy, which the gate of a sandbox connects through, as every other program of the user does: `HTTPS_PROXY`, `HTTP_PROXY`
 * and `NO_PROXY`, in either case. Its password is not visible inside the sandbox.
 */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface OwnProxy {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** The header `Proxy-Authorization`. */
  readonly authorization?: string;
}

type Environment = { readonly [name: string]: string | undefined };

/** Undefined: the address is reached directly. This machine always is. */
export function ownProxy(
  env: Environment,
  { host, port, isTunnel }: { readonly host: string; readonly port: number; readonly isTunnel: boolean },
): OwnProxy | undefined {
  const name = isTunnel ? 'https_proxy' : 'http_proxy';
  const text = env[name] || env[name.toUpperCase()] || env['all_proxy'] || env['ALL_PROXY'];
  if (!text || isLoopback(host) || isExcepted(env['no_proxy'] || env['NO_PROXY'] || '', host, port))
    return undefined;
  return parseProxy(text);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** `example.org` also means every name below it, as `.example.org` does. */
function isExcepted(list: string, host: string, port: number): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = '', only] = /^\*?\.?(.+?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name === '' || (only !== undefined && Number(only) !== port)) return false;
    return host.toLowerCase() === name || host.toLowerCase().endsWith(`.${name}`);
  });
}

/** Undefined unless it is an HTTP proxy; SOCKS is not. */
function parseProxy(text: string): OwnProxy | undefined {
  try {
    const { protocol, hostname, port, username, password } = new URL(
      text.includes('://') ? text : `http://${text}`,
    );
    if (protocol !== 'http:' && protocol !== 'https:') return undefined;
    const isTls = protocol === 'https:';
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return {
      host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
      port: port === '' ? (isTls ? 443 : 80) : Number(port),
      isTls,
      ...(username === '' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
    };
  } catch {
    return undefined;
  }
}

export function connectProxy({ host, port, isTls }: OwnProxy, connected: () => void): Socket {
  return isTls ? connectTls({ host, port, servername: host }, connected) : connect(port, host, connected);
}

const LONGEST_HEAD = 16_384;

/** Asks the proxy for a tunnel to this address. `opened` gets what came after its answer. */
export function openTunnel(
  proxy: OwnProxy,
  target: { readonly host: string; readonly port: number },
  opened: (rest: Buffer) => void,
): Socket {
  const host = target.host.includes(':') ? `[${target.host}]` : target.host;
  const address = `${host}:${target.port}`;
  const authorization =
    proxy.authorization === undefined ? '' : `Proxy-Authorization: ${proxy.authorization}\r\n`;
  const socket = connectProxy(proxy, () =>
    socket.write(`CONNECT ${address} HTTP/1.1\r\nHost: ${address}\r\n${authorization}\r\n`),
  );
  let head = Buffer.alloc(0);
  const answered = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1 && head.length <= LONGEST_HEAD) return;
    socket.off('data', answered);
    if (end === -1 || !/^HTTP\/1\.[01] 2\d\d /.test(head.toString('latin1', 0, 32))) socket.destroy();
    else opened(head.subarray(end + 4));
  };
  socket.on('data', answered);
  return socket;
}
