/** A small MCP server over HTTP, with one tool. It notes the `Authorization` header of every call of the tool. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface HttpKit {
  readonly url: string;
  readonly calls: readonly { readonly word: unknown; readonly authorization: string | undefined }[];
}

const TOOL = {
  name: 'shout',
  description: 'Writes a word in capital letters.',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
};

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly word?: unknown } };
}

export async function startHttpKit(): Promise<HttpKit> {
  const calls: { word: unknown; authorization: string | undefined }[] = [];
  const resultOf = ({ method, params }: Message, request: IncomingMessage): object => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'kit', version: '1.0.0' },
        };
      case 'tools/list':
        return { tools: [TOOL] };
      case 'tools/call': {
        const word = params?.arguments?.word;
        calls.push({ word, authorization: request.headers.authorization });
        return { content: [{ type: 'text', text: String(word).toUpperCase() }] };
      }
      default:
        return {};
    }
  };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let text = '';
    for await (const chunk of request) text += chunk;
    const message = JSON.parse(text) as Message;
    if (message.id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message, request) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, calls };
}
