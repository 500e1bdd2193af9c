import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: string;
}

export interface HttpTarget {
  readonly host: string;
  readonly url: string;
  readonly received: readonly Received[];
}

/** A service on loopback that records requests. `answer`: a status, or `silent` for no answer at all. */
export async function startHttpTarget(answer: number | 'silent' = 200): Promise<HttpTarget> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      received.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
      if (answer !== 'silent') response.writeHead(answer).end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}/topic`, received };
}
