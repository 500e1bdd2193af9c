/**
 * A model provider on loopback that follows the test's script, in the format of Anthropic, Gemini or OpenAI (both of its APIs). No network,
 * no keys: any key is accepted.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { openai } from './openai.ts';
import { openaiChat } from './openai-chat.ts';
import { FILLER, type RequestBody, type Turn, type Wire } from './script.ts';

export type { RequestBody, Turn } from './script.ts';

export interface ModelServer {
  readonly url: string;
  /** Requests of the conversation, as received. */
  readonly requests: readonly ModelRequest[];
  /** Resolves when the conversation has made this many requests. */
  requested(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface ModelRequest {
  readonly path: string;
  readonly body: RequestBody;
}

const WIRES: readonly Wire[] = [anthropic, gemini, openai, openaiChat];

/** `turns`: one after the other, or chosen by the request, for conversations at the same time; a promise keeps the request waiting. */
export async function startModelServer(
  turns: readonly Turn[] | ((body: RequestBody) => Turn | Promise<Turn>),
): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const script = typeof turns === 'function' ? { next: turns } : createScript(turns);
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const wire = WIRES.find((candidate) => candidate.matches(request.method ?? '', path));
    const body = await readBody(request);
    if (wire === undefined) return void response.writeHead(404).end();
    if (wire.isSideRequest(path, body)) {
      const answered = wire.sideAnswer?.(path, body);
      if (answered !== undefined) return json(response, 200, answered);
      return send(response, { wire, turn: FILLER, body, number: 0 });
    }
    requests.push({ path, body });
    for (const one of waiting.splice(0)) {
      if (requests.length >= one.count) one.resolve();
      else waiting.push(one);
    }
    const number = requests.length;
    return send(response, { wire, turn: await script.next(body), body, number });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    requested: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createScript(turns: readonly Turn[]): { next(): Turn } {
  let position = 0;
  let repeats = 0;
  return {
    next() {
      const current = turns[position];
      if (current?.type === 'error' && current.until?.() === true) position += 1;
      const turn = turns[position] ?? FILLER;
      if (turn.type !== 'error') {
        position += 1;
        return turn;
      }
      repeats += 1;
      if (repeats >= (turn.times ?? Number.POSITIVE_INFINITY)) {
        position += 1;
        repeats = 0;
      }
      return turn;
    },
  };
}

interface Sending {
  readonly wire: Wire;
  readonly turn: Turn;
  readonly body: RequestBody;
  readonly number: number;
}

async function send(response: ServerResponse, { wire, turn, body, number }: Sending): Promise<void> {
  if (turn.type === 'error')
    return json(response, turn.status, wire.error(turn), { ...wire.errorHeaders, ...turn.headers });
  const model = typeof body['model'] === 'string' ? body['model'] : 'a-model';
  const events = wire.events(turn, { model, number });
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  if (turn.type === 'hang' || turn.type === 'cut') {
    // Up to, not including, the event that closes the first block.
    for (const event of events.slice(0, turn.type === 'hang' && turn.text === undefined ? 1 : 3))
      response.write(event);
    if (turn.type === 'cut') response.destroy();
    return;
  }
  for (const event of events) {
    response.write(event);
    if (turn.type === 'slow') await new Promise((resolve) => setTimeout(resolve, turn.everyMs));
  }
  response.end();
}

function json(
  response: ServerResponse,
  status: number,
  body: string,
  headers: { readonly [name: string]: string } = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as RequestBody;
  } catch {
    return {};
  }
}
