import pg from 'pg';
import { onTestFinished } from 'vitest';

/** A connection for the statements of one test, such as one that is repeated until it finds a row. The server may restart meanwhile. */
export class Connection {
  readonly #url: string;
  #client: Promise<pg.Client> | undefined;

  constructor(url: string) {
    this.#url = url;
    onTestFinished(() => this.#close());
  }

  async query(statement: string): Promise<readonly { readonly [column: string]: unknown }[]> {
    const kept = this.#client;
    try {
      return await this.#ask(statement);
    } catch (cause) {
      if (kept === undefined || isRefusal(cause)) throw cause;
      // The server has ended the connection since the last statement.
      await this.#close();
      return this.#ask(statement);
    }
  }

  async #ask(statement: string): Promise<readonly { readonly [column: string]: unknown }[]> {
    this.#client ??= connect(this.#url);
    return (await (await this.#client).query(statement)).rows;
  }

  async #close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await client?.end().catch(() => {});
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The statement that finds the connection ended reports it.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** The server has read the statement and rejects it; the connection stays. */
function isRefusal(cause: unknown): boolean {
  return cause instanceof pg.DatabaseError && cause.severity === 'ERROR';
}
