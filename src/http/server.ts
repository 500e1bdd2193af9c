/**
 * `orchestrate serve`: the page and its API over plain files. It owns no run: whatever it starts is a process of its own.
 *
 * Bare `node:http`: there are three routes with parameters and a stream, which a framework makes neither shorter nor clearer, and
 * nothing is added to what is installed.
 */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { error, ok, type Result } from '../model/result.ts';
import { diskProblem } from '../operations/disk-problem.ts';
import type { Problem } from '../operations/problem.ts';
import { problemData } from '../operations/problem-data.ts';
import type { Site } from '../operations/site.ts';
import { act } from './api/actions.ts';
import { answerWorkspace } from './api/workspace-routes.ts';
import { LiveEvents, MOST_STREAMS } from './live.ts';
import {
  type Answer,
  howToClick,
  json,
  notFound,
  problem,
  send,
  type Wanted,
  wantedBy,
} from './requests/answer.ts';
import { type Denial, Guard } from './requests/guard.ts';
import { type Asked, parseAddress, readBody } from './requests/request.ts';
import { type Served, serveWorkspace } from './requests/served.ts';
import { StaticFiles } from './static-files.ts';

export interface PageServing {
  readonly sites: readonly Site[];
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly publicUrl?: URL;
  readonly token: string;
  readonly isReadOnly: boolean;
  /** Folder of the built page. */
  readonly page: string;
  /** How this program is called. */
  readonly program: readonly string[];
  readonly version: string;
  onBug(bug: unknown): void;
}

/** S10: a client that does not finish a request in this time is disconnected. */
const REQUESTS = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 } as const;

export class PageServer {
  readonly #serving: PageServing;
  readonly #served: readonly Served[];
  readonly #live: LiveEvents;
  readonly #files: StaticFiles;
  readonly #http: http.Server;
  #guard: Guard;

  constructor(serving: PageServing) {
    this.#serving = serving;
    const { sites, program } = serving;
    this.#served = sites.map((site) => serveWorkspace({ site, program }, () => this.#live.changed()));
    this.#live = new LiveEvents(
      () => this.#served,
      (served, screen) => answerWorkspace(served, [screen], new URLSearchParams()),
      (bug) => serving.onBug(bug),
    );
    this.#files = new StaticFiles(serving.page);
    this.#guard = new Guard(serving);
    this.#http = http.createServer(REQUESTS, (request, response) => void this.#answer(request, response));
  }

  /** The port it listens on. */
  async listen(): Promise<Result<number, Problem>> {
    const { host, port } = this.#serving;
    try {
      this.#http.listen(port, host);
      await once(this.#http, 'listening');
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      return error(
        code === 'EADDRINUSE'
          ? { type: 'port-in-use', port }
          : { type: 'cannot-listen', host, port, code: code ?? String(cause) },
      );
    }
    const { port: bound } = this.#http.address() as AddressInfo;
    this.#guard = new Guard({ ...this.#serving, port: bound });
    return ok(bound);
  }

  /** Ends open streams and requests at once. */
  async close(): Promise<void> {
    this.#live.close();
    const closed = once(this.#http, 'close');
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wanted = wantedBy(request);
    // Whoever is refused by the guard, and a bug, are errors in every console.
    const loud: Wanted = { ...wanted, isProblemQuiet: false };
    const asked = parseAddress(request.url ?? '/');
    const denied = asked.type === 'error' ? asked.error : this.#guard.check(request, asked.value);
    if (denied !== undefined || asked.type === 'error') {
      // The rest of a body that nobody reads.
      request.resume();
      send(response, refusal(denied ?? { status: 400, message: '' }), loud);
      return;
    }
    try {
      send(response, await this.#route(request, response, asked.value), wanted);
    } catch (bug) {
      const disk = diskProblem(bug);
      if (disk === undefined) this.#serving.onBug(bug);
      if (response.headersSent) response.destroy();
      else
        send(
          response,
          disk === undefined
            ? json(
                {
                  problem: {
                    kind: 'failed',
                    message: 'internal error; see the terminal of `orchestrate serve`',
                  },
                },
                500,
              )
            : problem(disk),
          disk === undefined ? loud : wanted,
        );
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse, asked: Asked): Promise<Answer> {
    const { path, parts, query, isApi } = asked;
    if (!isApi)
      return this.#files.answer(path, /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? '')));
    const [, version, what, ws, ...rest] = parts;
    if (version !== 'v1') return notFound('address');
    if (what === 'workspaces' && ws === undefined) return json(this.#about());
    if (what === 'events' && ws === undefined) return this.#stream(request, response, query);
    const served = what === 'w' ? this.#served.find(({ id }) => id === ws) : undefined;
    if (served === undefined) return notFound('workspace');
    if (rest[0] === 'actions') return this.#act(request, served);
    if (request.method === 'POST') return problem({ type: 'not-an-action' }, 405);
    return answerWorkspace(served, rest, query);
  }

  #about(): object {
    const { isReadOnly, version } = this.#serving;
    return {
      version,
      read_only: isReadOnly,
      workspaces: this.#served.map(({ id, name, site }) => ({
        ...{ id, name, path: site.workspace },
        home: site.environment['HOME'] ?? '',
        has_workers: site.workers !== undefined,
      })),
    };
  }

  async #stream(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<Answer> {
    if (request.method !== 'GET') return refusal({ status: 405, message: 'events are read with GET' });
    const topics = (query.get('topics') ?? '').split(',').filter((topic) => topic !== '');
    const after = query.get('after') ?? undefined;
    if (query.get('wait') === '0') return json(await this.#live.once(topics, after));
    if (this.#live.size >= MOST_STREAMS) {
      response.setHeader('retry-after', '5');
      return problem({ type: 'too-many-streams', most: MOST_STREAMS }, 503);
    }
    this.#live.open(response, topics, after);
    return { type: 'taken' };
  }

  async #act(request: IncomingMessage, served: Served): Promise<Answer> {
    if (request.method !== 'POST') return refusal({ status: 405, message: 'actions are sent with POST' });
    // S9
    if (this.#serving.isReadOnly)
      return json(
        {
          ok: false,
          said: 'This page is read-only.',
          problem: problemData({ type: 'read-only-page' }, howToClick),
        },
        403,
      );
    const body = await readBody(request);
    if (body.type === 'error') {
      request.resume();
      return refusal(body.error);
    }
    const done = await act(served, body.value);
    await served.runs.refresh();
    this.#live.changed();
    return done;
  }
}

function refusal({ status, message }: Denial): Answer {
  return json(
    { problem: { kind: status === 404 ? 'not-found' : 'invalid', type: 'denied', message } },
    status,
  );
}
