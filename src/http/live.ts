/**
 * `/events`: what has changed, as server-sent events that the page reads with `fetch`, so that the token can be a header (S4).
 *
 * E1 The files are the truth: a topic resumes from the record, revision or byte that the reader has, so nothing is kept for it.
 * E2 Rows are whole; applying one twice is harmless. A reader that is too far behind must ask again (`reset`).
 * E3 A reader that does not read gets nothing more until it does: no queue grows.
 * E4 At most ten messages a second for each topic (`pace.ts`).
 * E5 A bug while one reader's changes are gathered ends that stream only; the page asks again.
 */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { sha256 } from '../model/sha256.ts';
import { inboxOf } from '../operations/live/inbox.ts';
import { summarize } from '../operations/live/run-summary.ts';
import { logsOf } from '../operations/live/step-detail.ts';
import { stepRow } from '../operations/live/step-row.ts';
import { logSize } from '../operations/runs/read-log.ts';
import { Pace } from './pace.ts';
import { headersOf } from './requests/answer.ts';
import type { Served } from './requests/served.ts';

const MOST_ROWS = 500;
const HEARTBEAT_MS = 15_000;
export const MOST_STREAMS = 64;
/** Screens whose documents have no journal: they are read again this often while a page shows them. */
const SCREENS: readonly string[] = [
  'loops',
  'sessions',
  'phases',
  'conversations',
  'queues',
  'schedule',
  'workers',
];
const SCREEN_MS = 2000;
const MOST_TOPICS = 64;

/** What a reader has seen. Opaque to it. */
type Cursor = { [topic: string]: readonly (number | string)[] };

interface Message {
  readonly topic: string;
  readonly [field: string]: unknown;
}

interface Stream {
  readonly response: ServerResponse;
  readonly topics: readonly string[];
  cursor: Cursor;
  isBlocked: boolean;
}

/** What waits for a person in a workspace. */
interface Waiting {
  /** That of its runs. */
  readonly revision: number;
  readonly at: number;
  readonly digest: string;
  readonly count: number;
}

/** What a screen shows, as its route answers it. */
export type ReadScreen = (served: Served, screen: string) => Promise<unknown>;

export class LiveEvents {
  /** Revisions of lists count from the start of a server. */
  readonly #boot = randomBytes(4).toString('hex');
  readonly #served: () => readonly Served[];
  readonly #read: ReadScreen;
  readonly #screens = new Map<string, { readonly at: number; readonly digest: string }>();
  readonly #inboxes = new Map<string, Waiting>();
  readonly #streams = new Set<Stream>();
  readonly #pace = new Pace();
  #timer: NodeJS.Timeout | undefined;
  #isPumping = false;
  #isDirty = false;

  readonly #onBug: (bug: unknown) => void;

  constructor(served: () => readonly Served[], read: ReadScreen, onBug: (bug: unknown) => void) {
    this.#served = served;
    this.#read = read;
    this.#onBug = onBug;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Something may have changed. */
  changed(): void {
    if (this.#streams.size === 0) return;
    this.#isDirty = true;
    if (this.#timer !== undefined || this.#isPumping) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#pump();
    }, this.#pace.waitMs(performance.now()));
  }

  /** `?wait=0`: what has changed until now. */
  async once(
    topics: readonly string[],
    after: string | undefined,
  ): Promise<{ readonly messages: readonly Message[]; readonly cursor: string }> {
    const cursor = parseCursor(after);
    const messages = await this.#changes(topics.slice(0, MOST_TOPICS), cursor);
    return { messages, cursor: writeCursor(cursor) };
  }

  open(response: ServerResponse, topics: readonly string[], after: string | undefined): void {
    const stream: Stream = {
      response,
      topics: topics.slice(0, MOST_TOPICS),
      cursor: parseCursor(after),
      isBlocked: false,
    };
    response.writeHead(200, headersOf({ 'content-type': 'text/event-stream; charset=utf-8' }));
    response.write(': open\n\n');
    const heartbeat = setInterval(() => {
      if (!stream.isBlocked) this.#write(stream, ': still here\n\n');
    }, HEARTBEAT_MS);
    this.#streams.add(stream);
    if (this.#streams.size === 1) for (const { runs } of this.#served()) runs.watch();
    response.on('drain', () => {
      stream.isBlocked = false;
      this.changed();
    });
    response.on('close', () => {
      clearInterval(heartbeat);
      this.#streams.delete(stream);
      if (this.#streams.size === 0) for (const { runs } of this.#served()) runs.rest();
    });
    this.changed();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { response } of this.#streams) response.end();
    for (const { runs } of this.#served()) runs.rest();
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    this.#isDirty = false;
    const lookedAt = performance.now();
    let hasSent = false;
    try {
      for (const stream of this.#streams) {
        // E3
        if (stream.isBlocked) continue;
        const messages = await this.#changesFor(stream);
        if (messages.length === 0) continue;
        hasSent = true;
        const id = `id: ${writeCursor(stream.cursor)}\n`;
        this.#write(
          stream,
          `${messages.map((message) => `data: ${JSON.stringify(message)}\n`).join('\n')}${id}\n`,
        );
      }
    } finally {
      this.#pace.looked(lookedAt, hasSent);
      this.#isPumping = false;
      if (this.#isDirty) this.changed();
    }
  }

  /** E5 */
  async #changesFor(stream: Stream): Promise<readonly Message[]> {
    try {
      return await this.#changes(stream.topics, stream.cursor);
    } catch (bug) {
      this.#onBug(bug);
      stream.response.destroy();
      return [];
    }
  }

  #write(stream: Stream, text: string): void {
    if (!stream.response.write(text)) stream.isBlocked = true;
  }

  /** Also moves the cursor. */
  async #changes(topics: readonly string[], cursor: Cursor): Promise<readonly Message[]> {
    const messages: Message[] = [];
    if (topics.includes('runs') || topics.includes('inbox'))
      for (const { runs } of this.#served()) await runs.follow();
    for (const topic of topics) {
      if (topic === 'runs') messages.push(...this.#runs(cursor));
      else if (topic === 'inbox') messages.push(...this.#inbox(cursor));
      else if (topic.startsWith('run:')) messages.push(...(await this.#run(topic, cursor)));
      else if (topic.startsWith('log:')) messages.push(...(await this.#log(topic, cursor)));
      else if (SCREENS.includes(topic)) messages.push(...(await this.#screen(topic, cursor)));
    }
    return messages;
  }

  #runs(cursor: Cursor): readonly Message[] {
    return this.#served().flatMap(({ id: ws, runs }): readonly Message[] => {
      const name = `runs ${ws}`;
      const [boot, revision] = cursor[name] ?? [];
      cursor[name] = [this.#boot, runs.revision];
      // Asked for the list a moment ago, or from another server: the list itself says it.
      if (boot !== this.#boot) return [{ topic: 'runs', ws, reset: true, revision: runs.revision }];
      if (revision === runs.revision) return [];
      const { changed, removed } = runs.since(Number(revision));
      return [
        changed.length > MOST_ROWS
          ? { topic: 'runs', ws, reset: true, revision: runs.revision }
          : { topic: 'runs', ws, changed, removed, revision: runs.revision },
      ];
    });
  }

  #inbox(cursor: Cursor): readonly Message[] {
    return this.#served().flatMap((served): readonly Message[] => {
      const { digest, count } = this.#waiting(served);
      const name = `inbox ${served.id}`;
      const seen = [this.#boot, digest];
      if (String(cursor[name]) === String(seen)) return [];
      cursor[name] = seen;
      return [{ topic: 'inbox', ws: served.id, count }];
    });
  }

  /** Loops, tasks and phases that wait have no run that changes. */
  #waiting({ id, runs, site }: Served): Waiting {
    const known = this.#inboxes.get(id);
    const { revision } = runs;
    if (known?.revision === revision && Date.now() - known.at < SCREEN_MS) return known;
    const items = inboxOf(site, runs.list());
    const { length: count } = items;
    const waiting = { revision, at: Date.now(), digest: sha256(JSON.stringify(items)), count };
    this.#inboxes.set(id, waiting);
    return waiting;
  }

  async #run(topic: string, cursor: Cursor): Promise<readonly Message[]> {
    const runId = topic.slice('run:'.length);
    for (const { id: ws, runs } of this.#served()) {
      const run = await runs.open(runId);
      if (run === undefined) continue;
      const { index, generation } = run;
      const [boot, seenGeneration, seq = -1, alive, offset, sum] = cursor[topic] ?? [];
      const life = `${run.isAlive} ${run.damage?.message ?? ''}`;
      const { mark } = run;
      cursor[topic] = [this.#boot, generation, index.seq, life, mark.offset, mark.sum];
      const reset = { topic, ws, reset: true, seq: index.seq, generation, alive: run.isAlive } as const;
      // What the page has may be from just before, or of a generation that only an earlier server has counted: it asks again.
      if (boot === undefined || seenGeneration !== generation || Number(seq) > index.seq) return [reset];
      // Nobody has counted what was replaced while no server ran.
      const seen = { offset: Number(offset), sum: Number(sum) };
      if (boot !== this.#boot && !(await run.startsWith(seen))) return [reset];
      if (seq === index.seq && alive === life) return [];
      const isCut = alive !== life;
      const rows = index.rows.filter((row) => row.seq > Number(seq) || (isCut && row.status === 'running'));
      if (rows.length > MOST_ROWS) return [reset];
      return [
        {
          ...{ topic, ws, seq: index.seq, generation, rows: rows.map((row) => stepRow(run, row)) },
          total: index.rows.length,
          summary: summarize(run, Date.now()),
          ...(run.damage === undefined ? {} : { damage: run.damage.message }),
        },
      ];
    }
    const isKnown = cursor[topic]?.[0] === 'gone';
    cursor[topic] = ['gone'];
    return isKnown ? [] : [{ topic, gone: true }];
  }

  /** The page asks for the screen itself. */
  async #screen(topic: string, cursor: Cursor): Promise<readonly Message[]> {
    const messages: Message[] = [];
    for (const served of this.#served()) {
      const name = `${topic} ${served.id}`;
      const known = this.#screens.get(name);
      const isFresh = known !== undefined && Date.now() - known.at < SCREEN_MS;
      const digest = isFresh ? known.digest : sha256(JSON.stringify(await this.#read(served, topic)));
      if (!isFresh) this.#screens.set(name, { at: Date.now(), digest });
      if (cursor[name]?.[0] === digest) continue;
      cursor[name] = [digest];
      messages.push({ topic, ws: served.id, changed: true });
    }
    return messages;
  }

  /** `log:<run>:<key>:<stream>:<try>`; the page asks for the new bytes itself. */
  async #log(topic: string, cursor: Cursor): Promise<readonly Message[]> {
    const [, runId = '', key = '', stream, number] =
      /^log:([^:]+):(.+):(stdout|stderr):(\d+)$/.exec(topic) ?? [];
    for (const { runs } of this.#served()) {
      const run = await runs.open(runId);
      const row = run?.index.row(key);
      if (run === undefined || row === undefined) continue;
      const files = logsOf(run, row, stream === 'stderr' ? 'stderr' : 'stdout');
      const file = number === '0' ? files.at(-1) : files[Number(number) - 1];
      const size = file === undefined ? 0 : logSize(file.path);
      if (cursor[topic]?.[0] === size) return [];
      cursor[topic] = [size];
      return [{ topic, size }];
    }
    return [];
  }
}

function parseCursor(text: string | undefined): Cursor {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text ?? '', 'base64url').toString('utf8'));
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(Object.entries(parsed).filter(([, value]) => Array.isArray(value)));
  } catch {
    return {};
  }
}

function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}
