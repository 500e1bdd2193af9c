import { describe, expect, it } from 'vitest';
import type { Rows } from '../../../src/engine/dbos/database.ts';
import { type AnnouncedProgress, LiveProgress } from '../../../src/engine/dbos/live-progress.ts';
import type { Progress } from '../../../src/model/event.ts';
import { until } from '../../rig/orchestrate.ts';

/** A database that answers when the test says so. */
class SlowRows implements Rows {
  readonly statements: (readonly string[])[] = [];
  #answer: (problem?: Error) => void = () => {};

  query<Row>(_: string, values: readonly unknown[] = []): Promise<{ rows: readonly Row[]; rowCount: null }> {
    this.statements.push(values[1] as readonly string[]);
    return new Promise((resolve, reject) => {
      this.#answer = (problem) =>
        problem === undefined ? resolve({ rows: [], rowCount: null }) : reject(problem);
    });
  }

  answer(problem?: Error): void {
    this.#answer(problem);
  }

  said(statement: number): readonly AnnouncedProgress[] {
    return (this.statements[statement] ?? []).map((text) => JSON.parse(text) as AnnouncedProgress);
  }
}

const call = (key: string) => ({ runId: 'run', key, attempt: 1 });
const output = (text: string, stream: 'stdout' | 'stderr' = 'stdout'): Progress => ({
  ...{ type: 'output', stream, text },
});

describe('announcements of what steps do', () => {
  it('are merged, and one statement has those of all calls', () => {
    const rows = new SlowRows();
    const live = new LiveProgress(rows);
    live.announce(call('A'), output('one\n'));
    live.announce(call('A'), output('two\n'));
    live.announce(call('A'), output('problem\n', 'stderr'));
    live.announce(call('B'), output('other\n'));
    live.flush();
    expect(rows.said(0)).toEqual([
      { key: 'A', attempt: 1, progress: [output('one\ntwo\n'), output('problem\n', 'stderr')] },
      { key: 'B', attempt: 1, progress: [output('other\n')] },
    ]);
    live.close();
  });

  it.each([
    ['plain text', 'x'],
    ['characters of several bytes', '€'],
    ['characters that are escaped', '\u0001"\\'],
  ])('are never longer than PostgreSQL takes: %s', (_, text) => {
    const rows = new SlowRows();
    const live = new LiveProgress(rows);
    for (let i = 0; i < 300; i += 1) live.announce(call('A'), output(text.repeat(100)));
    live.announce(call('B'), output(text.repeat(1_000_000)));
    live.announce(call('B'), { type: 'agent', event: { type: 'thinking', text: text.repeat(10_000) } });
    live.flush();
    for (const said of rows.statements[0] ?? []) {
      expect(Buffer.byteLength(said)).toBeLessThan(8000);
      expect(Buffer.byteLength(said)).toBeGreaterThan(4000);
    }
    for (const { progress } of rows.said(0))
      expect(progress).toEqual([output(expect.stringMatching(/ …\n$/))]);
    live.close();
  });

  it('wait for the one before, and what cannot be sent is left out without a word', async () => {
    const rows = new SlowRows();
    const live = new LiveProgress(rows);
    live.announce(call('A'), output('lost\n'));
    live.flush();
    live.announce(call('A'), output('next\n'));
    live.flush();
    expect(rows.statements).toHaveLength(1);
    rows.answer(new Error('Connection terminated unexpectedly'));
    await until(() => rows.statements.length === 2);
    expect(rows.said(1)).toEqual([{ key: 'A', attempt: 1, progress: [output('next\n')] }]);
    live.close();
  });
});
