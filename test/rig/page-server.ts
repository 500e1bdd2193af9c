/** `orchestrate serve` of a workspace, and requests to it. */
import http from 'node:http';
import type { Started, StartOptions, Workspace } from './orchestrate.ts';

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
  readonly body: any;
}

export interface Ask {
  readonly method?: string;
  /** Replace or remove (`undefined`) the usual headers. */
  readonly headers?: { readonly [name: string]: string | undefined };
  readonly body?: string;
}

export interface RunningPage {
  readonly started: Started;
  readonly port: number;
  readonly token: string;
  readonly url: string;
  /** The address of its first workspace. */
  readonly ws: string;
  ask(path: string, ask?: Ask): Promise<Reply>;
  /** Below the first workspace. */
  get(path: string): Promise<Reply>;
  act(action: object): Promise<Reply>;
}

/** Resolves when it listens. Without `isKeeping` there is no keeper: a run that was killed stays as it is. */
export async function servePage(
  workspace: Workspace,
  argv: readonly string[] = [],
  { isKeeping = false, ...options }: StartOptions & { readonly isKeeping?: boolean } = {},
): Promise<RunningPage> {
  const keep = isKeeping ? [] : ['--no-keep'];
  const started = workspace.start(['serve', '--port', '0', '--json', ...keep, ...argv], options);
  const { port, token, url } = JSON.parse(await firstLine(started));
  const ask = (path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const all: { readonly [name: string]: string | undefined } = {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      };
      const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      const request = http.request(
        { host: '127.0.0.1', port, path, method, headers: sent as http.OutgoingHttpHeaders, agent: false },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            const isJson = response.headers['content-type']?.startsWith('application/json') === true;
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              body: isJson ? JSON.parse(text) : undefined,
            });
          });
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  const { body } = await ask('/api/v1/workspaces');
  const ws = `/api/v1/w/${body.workspaces[0].id}`;
  return {
    ...{ started, port, token, url, ws, ask },
    get: (path) => ask(`${ws}/${path}`),
    act: (action) => ask(`${ws}/actions`, { method: 'POST', body: JSON.stringify(action) }),
  };
}

async function firstLine({ child, ended }: Started): Promise<string> {
  let text = '';
  const line = new Promise<string>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
  });
  const failed = ended.then(({ exitCode, stderr }) => {
    throw new Error(`serve ended with ${exitCode}: ${stderr}`);
  });
  return Promise.race([line, failed]);
}
