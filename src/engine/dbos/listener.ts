/** Hears what other processes announce (`pg_notify`), so that nobody has to wait for the next poll. Announcements may be lost: polls find the rest. */

/** A connection of its own. */
export interface ListeningClient {
  connect(): Promise<void>;
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
  on(
    event: 'notification',
    listener: (message: { readonly channel: string; readonly payload?: string }) => void,
  ): void;
  on(event: 'error' | 'end', listener: () => void): void;
}

export type Heard = (topic: string, id: string) => void;

const AGAIN_AFTER_MS = 1000;
/** Everybody listens there. */
const COMMON = 'orchestrate';

export class Listener {
  readonly #connect: () => ListeningClient;
  readonly #hearing = new Set<Heard>();
  /** Other channels. */
  readonly #channels = new Map<string, (payload: string) => void>();
  #client: ListeningClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(connect: () => ListeningClient) {
    this.#connect = connect;
  }

  /** Resolves when it listens, or when it could not: it is tried again, whatever the reason was. Polls find the same. */
  async open(): Promise<void> {
    const client = this.#connect();
    this.#client = client;
    const again = (): void => {
      if (this.#client !== client || this.#isClosed) return;
      this.#client = undefined;
      this.#timer = setTimeout(() => void this.open(), AGAIN_AFTER_MS);
      // It may still be connected, and only not have answered.
      client.end().catch(() => {});
    };
    client.on('error', again);
    client.on('end', again);
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel !== COMMON) {
        this.#channels.get(channel)?.(payload);
        return;
      }
      const at = payload.indexOf(' ');
      for (const heard of this.#hearing) heard(payload.slice(0, at), payload.slice(at + 1));
    });
    try {
      await client.connect();
      for (const channel of [COMMON, ...this.#channels.keys()]) await client.query(listenTo(channel));
    } catch {
      again();
    }
  }

  /** Returns what ends it. */
  subscribe(heard: Heard): () => void {
    this.#hearing.add(heard);
    return () => this.#hearing.delete(heard);
  }

  /** Hears another channel too. Returns what ends it. */
  hear(channel: string, heard: (payload: string) => void): () => void {
    this.#channels.set(channel, heard);
    // Without a connection, the next one listens.
    this.#client?.query(listenTo(channel)).catch(() => {});
    return () => this.#channels.delete(channel);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }
}

function listenTo(channel: string): string {
  return `listen "${channel.replaceAll('"', '""')}"`;
}
