/** The official client, connected to `orchestrate mcp` in a folder. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { onTestFinished } from 'vitest';
import { BINARY, type PhasesSite } from '../phases/site.ts';

export async function connect(site: PhasesSite, ...flags: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BINARY, 'mcp', ...flags],
      cwd: site.folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: site.folder,
        XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
      },
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  /** `{problem}` if it is an error. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer has the shape of its tool
  readonly data: any;
  // biome-ignore lint/suspicious/noExplicitAny: an answer has the shape of its tool
  readonly value: any;
}

export async function call(
  client: Client,
  name: string,
  given: { [key: string]: unknown } = {},
): Promise<Answer> {
  const result = await client.callTool({ name, arguments: given });
  const [first] = result.content as { readonly text: string }[];
  const isError = result.isError === true;
  return {
    isError,
    text: first?.text ?? '',
    data: result.structuredContent,
    value: isError ? undefined : JSON.parse(first?.text ?? ''),
  };
}
