/** A client of `orchestrate mcp` that sends line by line, like an agent. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import readline from 'node:readline';
import type { Site } from './site.ts';

export interface McpAnswer {
  readonly isError: boolean;
  /** The text of a tool result, or the message of a refused call. */
  readonly text: string;
}

export interface McpServer {
  call(tool: string, given: object): Promise<McpAnswer>;
  /** Any method of the protocol. */
  ask(method: string, params: object): Promise<McpAnswer>;
  close(): Promise<void>;
}

interface Reply {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text?: string }[] };
}

export async function startMcp(site: Site): Promise<McpServer> {
  const { root, signal } = site.trial;
  const child = spawn(process.execPath, [path.join(root, 'bin', 'orchestrate.js'), 'mcp'], {
    cwd: site.folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: site.folder,
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
    signal,
    killSignal: 'SIGKILL',
  });
  const waiting = new Map<number, (reply: Reply) => void>();
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => {
      for (const give of waiting.values()) give({ error: { message: 'the server has ended' } });
      resolve();
    });
  });
  child.stdin.on('error', () => {});
  readline.createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = JSON.parse(line) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
  });
  let last = 0;
  const ask = async (method: string, params: object): Promise<McpAnswer> => {
    last += 1;
    const id = last;
    const replied = new Promise<Reply>((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { error, result } = await replied;
    waiting.delete(id);
    if (error !== undefined) return { isError: true, text: error.message };
    const text = result?.content?.[0]?.text ?? JSON.stringify(result);
    return { isError: result?.isError === true, text };
  };
  const clientInfo = { name: 'proof', version: '1' };
  await ask('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  return {
    ask,
    call: (tool, given) => ask('tools/call', { name: tool, arguments: given }),
    close() {
      child.stdin.end();
      child.kill('SIGTERM');
      return ended;
    },
  };
}
