/**
 * A program of its own (`dist/sandbox-gate.cjs`), started inside a sandbox without network: listens there, leads every connection to the
 * socket of the outer gate, and starts the real program.
 *
 *     node sandbox-gate.cjs <socket> <proxy port> <loopback ports, comma-separated> -- <argv…>
 */
import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import os from 'node:os';

const [socket = '', proxyPort = '', loopback = '', , program = '', ...args] = process.argv.slice(2);

/** The machine's own address, reached as through a proxy. */
function tunnel(client: Socket, port: number): void {
  const out = connect(socket, () => out.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`));
  let head = Buffer.alloc(0);
  const answered = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    out.off('data', answered);
    if (!head.subarray(0, end).includes(' 200 ')) {
      client.destroy();
      return;
    }
    client.write(head.subarray(end + 4));
    client.pipe(out).pipe(client);
  };
  out.on('data', answered);
  joined(client, out);
}

function passOn(client: Socket): void {
  const out = connect(socket);
  client.pipe(out).pipe(client);
  joined(client, out);
}

function joined(client: Socket, out: Socket): void {
  for (const [one, other] of [
    [client, out],
    [out, client],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}

function listen(port: number, host: string, serve: (client: Socket) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    createServer(serve).once('error', reject).listen(port, host, resolve);
  });
}

async function main(): Promise<void> {
  // A signal for all processes of the step reaches the program itself; this one waits for its end.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  await listen(Number(proxyPort), '127.0.0.1', passOn);
  for (const port of loopback
    .split(',')
    .filter((each) => each !== '')
    .map(Number)) {
    await listen(port, '127.0.0.1', (client) => tunnel(client, port));
    // A machine without IPv6 has no such address.
    await listen(port, '::1', (client) => tunnel(client, port)).catch(() => {});
  }
  const child = spawn(program, args, { stdio: 'inherit' });
  child.on('error', (cause) => {
    process.stderr.write(`${program}: ${cause.message}\n`);
    process.exit(127);
  });
  child.on('exit', (code, signal) => {
    process.exit(signal === null ? (code ?? 1) : 128 + (os.constants.signals[signal] ?? 0));
  });
}

void main().catch((cause: unknown) => {
  process.stderr.write(`the gate of the sandbox cannot listen: ${String(cause)}\n`);
  process.exit(125);
});
