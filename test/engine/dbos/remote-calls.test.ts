import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Pool } from '../../../src/engine/dbos/database.ts';
import { RemoteCalls } from '../../../src/engine/dbos/remote-calls.ts';
import { createTables } from '../../../src/engine/dbos/tables.ts';
import type { EffectContext } from '../../../src/engine/durable.ts';
import { stepKey } from '../../../src/model/ids.ts';
import { databaseForFile } from '../../rig/postgres/for-file.ts';

const database = databaseForFile();
const RUN = '20260101-000000-abcdef';
const NEVER_MS = 3_600_000;

/** Answers of the database to one query wait until they are let through. */
class SlowAnswers {
  readonly pool: Pool;
  #answered: () => void = () => {};
  #let: () => void = () => {};
  readonly answered = new Promise<void>((resolve) => {
    this.#answered = resolve;
  });
  readonly #gate = new Promise<void>((resolve) => {
    this.#let = resolve;
  });

  constructor(pool: Pool, about: RegExp) {
    const query: Pool['query'] = async (text, values) => {
      const found = await pool.query(text, values);
      if (about.test(text)) {
        this.#answered();
        await this.#gate;
      }
      return found as never;
    };
    this.pool = Object.create(pool, { query: { value: query } }) as Pool;
  }

  letThrough(): void {
    this.#let();
  }
}

describe('the calls of a run that workers carry out', () => {
  it('are asked for once more when one ends while the database answers, not at the next poll', async () => {
    const pool = new pg.Pool({ connectionString: database.url }) as unknown as Pool;
    try {
      await createTables(pool);
      await pool.query(
        `insert into orchestrate.runs (run_id, workspace, plan, version, state, turn)
         values ($1, '/', '{}', 'test', 'live', 1)`,
        [RUN],
      );
      const answers = new SlowAnswers(pool, /^select call_id, output from orchestrate\.calls/);
      const calls = new RemoteCalls({
        pool: answers.pool,
        carrier: { enqueue: async () => {} },
        runId: RUN,
        version: 'test',
        pollMs: NEVER_MS,
        affinity: { needs: () => undefined, leaves: () => undefined, continuesItself: () => false },
        filesBy: 'folder',
      });
      const context: EffectContext = {
        ...{ key: stepKey('step'), attempt: 1, signal: new AbortController().signal },
        run: { runId: RUN, directory: '/', workspace: '/' },
        emit() {},
        processStarted() {},
      };
      const output = calls.effect('count')({} as never, context);
      await answers.answered;
      await pool.query(`update orchestrate.calls set ended_at = now(), output = $1`, [
        JSON.stringify({ type: 'output', output: { outcome: 'success', value: 7 } }),
      ]);
      calls.wake();
      answers.letThrough();
      expect(await output).toMatchObject({ outcome: 'success', value: 7 });
      calls.close();
    } finally {
      await pool.end();
    }
  });
});
