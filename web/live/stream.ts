/**
 * Live events. One stream a browser, not a tab: a browser opens six connections to a server, and the seventh tab would hang. The tab that
 * holds the lock reads the stream for all of them and passes messages on; when it closes, another takes over.
 */
import { signal } from '@preact/signals';
import { authorization } from '../api.ts';

export interface LiveMessage {
  readonly topic: string;
  readonly ws?: string;
  readonly reset?: true;
  readonly gone?: true;
  readonly [field: string]: unknown;
}

export const connection = signal<'live' | 'connecting'>('connecting');

type Handler = (message: LiveMessage) => void;
type Note =
  | { readonly type: 'topics'; readonly tab: string; readonly topics: readonly string[] }
  | { readonly type: 'who' }
  | { readonly type: 'bye'; readonly tab: string }
  | { readonly type: 'message'; readonly message: LiveMessage }
  | { readonly type: 'connection'; readonly value: 'live' | 'connecting' };

const handlers = new Map<string, Set<Handler>>();
const tab = crypto.randomUUID();
const others = new Map<string, readonly string[]>();
/** The last count of each workspace: nothing but these messages has it, and a part that is shown later needs it too. */
const waiting = new Map<string, LiveMessage>();
const channel = new BroadcastChannel('orchestrate');
let isLeader = false;
let cursor = '';
let current: AbortController | undefined;
let restart: ReturnType<typeof setTimeout> | undefined;

/** This tab reads the stream for all of them. */
export function isReading(): boolean {
  return isLeader;
}

/** Returns a function that ends it. */
export function subscribe(topic: string, handler: Handler): () => void {
  const all = handlers.get(topic) ?? new Set();
  handlers.set(topic, all.add(handler));
  if (topic === 'inbox') for (const message of waiting.values()) handler(message);
  topicsChanged();
  return () => {
    all.delete(handler);
    if (all.size === 0) handlers.delete(topic);
    topicsChanged();
  };
}

export function startLive(): void {
  channel.onmessage = ({ data }: MessageEvent<Note>) => take(data);
  addEventListener('pagehide', () => post({ type: 'bye', tab }));
  topicsChanged();
  if (navigator.locks === undefined) lead();
  else
    void navigator.locks.request('orchestrate-stream', () => {
      lead();
      return new Promise(() => {});
    });
}

function lead(): void {
  isLeader = true;
  post({ type: 'who' });
  void read();
}

function post(note: Note): void {
  channel.postMessage(note);
}

function take(note: Note): void {
  switch (note.type) {
    case 'topics':
      others.set(note.tab, note.topics);
      if (!isLeader) break;
      post({ type: 'connection', value: connection.value });
      for (const message of waiting.values()) post({ type: 'message', message });
      readAgain();
      break;
    case 'bye':
      others.delete(note.tab);
      if (isLeader) readAgain();
      break;
    case 'who':
      post({ type: 'topics', tab, topics: [...handlers.keys()] });
      break;
    case 'message':
      deliver(note.message);
      break;
    case 'connection':
      if (!isLeader) connection.value = note.value;
      break;
  }
}

function topicsChanged(): void {
  post({ type: 'topics', tab, topics: [...handlers.keys()] });
  if (isLeader) readAgain();
}

function deliver(message: LiveMessage): void {
  if (message.topic === 'inbox') waiting.set(String(message.ws), message);
  for (const handler of handlers.get(message.topic) ?? []) handler(message);
}

/** The server follows a limited number of them: lists come first, then what this tab shows. */
function wanted(): string {
  const own = [...handlers.keys()].sort();
  const all = new Set(['runs', 'inbox', ...own, ...[...others.values()].flat().sort()]);
  return [...all].join(',');
}

let reading = '';

function readAgain(): void {
  clearTimeout(restart);
  restart = setTimeout(() => {
    if (wanted() !== reading) current?.abort();
  }, 20);
}

async function read(): Promise<void> {
  for (let pauseMs = 250; ; ) {
    current = new AbortController();
    reading = wanted();
    try {
      await readOnce(reading, current.signal, () => {
        pauseMs = 250;
      });
    } catch {
      // Connected again below.
    }
    if (current.signal.aborted) continue;
    tell('connecting');
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * 2, 4000);
  }
}

async function readOnce(topics: string, signal: AbortSignal, onOpen: () => void): Promise<void> {
  const response = await fetch(`/api/v1/events?topics=${encodeURIComponent(topics)}&after=${cursor}`, {
    headers: authorization(),
    signal,
  });
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
  tell('live');
  onOpen();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      for (const line of text.slice(0, end).split('\n')) {
        if (line.startsWith('data: ')) pass(JSON.parse(line.slice(6)));
        else if (line.startsWith('id: ')) cursor = line.slice(4);
      }
      text = text.slice(end + 2);
    }
  }
}

function pass(message: LiveMessage): void {
  deliver(message);
  // Always: a tab that has just opened may not be known yet, and must not miss what comes after its first request.
  post({ type: 'message', message });
}

function tell(value: 'live' | 'connecting'): void {
  connection.value = value;
  post({ type: 'connection', value });
}
