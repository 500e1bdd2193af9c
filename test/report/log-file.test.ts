import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { createLogFile } from '../../src/report/log-file.ts';
import { openPlainTo } from '../../src/store/plain-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { at, began, ended, noted, runEnded, runStarted } from './events.ts';

test('every line of the log starts with the time of its event', () => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'orchestrator.log');
  const log = createLogFile({
    path: file,
    open: () => openPlainTo(file, { to: 'append' }),
    onProblem: (message) => expect.unreachable(message),
  });
  for (const event of [
    runStarted(),
    began('A', 1),
    { type: 'process-started', at: at(2), key: 'A' as never, pid: 42, startTime: '1' } as const,
    ended('A', [1, 5]),
    runEnded(6, 'completed'),
  ])
    log.event(event);
  log.close();
  expect(
    fs.readFileSync(file, 'utf8'),
  ).toBe(`2026-01-31T12:00:00.000Z ● run 20260131T120000Z-abc123 started: ship
2026-01-31T12:00:00.001Z ▶ A
2026-01-31T12:00:00.002Z · A  process 42
2026-01-31T12:00:00.005Z ✓ A  4 ms
2026-01-31T12:00:00.006Z ● run completed
`);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test('a graph that started before the run was resumed ends in the log when it ends', () => {
  const file = path.join(temporaryFolder(), 'orchestrator.log');
  const log = createLogFile({
    path: file,
    open: () => openPlainTo(file, { to: 'append' }),
    onProblem: (message) => expect.unreachable(message),
  });
  const record = (durationMs: number): JsonObject => ({
    type: 'record',
    record: { status: 'completed', durationMs },
  });
  for (const event of [
    { type: 'run-resumed', at: at(0) } as const,
    began('Round/A', 1),
    ended('Round/A', [1, 5]),
    noted('Round@record', 6, record(900)),
    ended('Compile@cache', [7, 8], { effect: 'read-cache', output: { hit: {} } }),
    noted('Compile@record', 9, record(1)),
    noted('Compile@why', 10, { type: 'decision', message: 'result taken from the cache' }),
    runEnded(11, 'completed'),
  ])
    log.event(event);
  log.close();
  expect(fs.readFileSync(file, 'utf8')).toBe(`2026-01-31T12:00:00.000Z ● resuming run
2026-01-31T12:00:00.001Z ▶ Round/A
2026-01-31T12:00:00.005Z ✓ Round/A  4 ms
2026-01-31T12:00:00.006Z ✓ Round  900 ms
2026-01-31T12:00:00.010Z ✓ Compile  1 ms  result taken from the cache
2026-01-31T12:00:00.011Z ● run completed
`);
});

test('a log that cannot be written is reported once and does not stop the run', () => {
  const problems: string[] = [];
  const file = path.join(temporaryFolder(), 'no-such-folder', 'orchestrator.log');
  const log = createLogFile({
    path: file,
    open: () => openPlainTo(file, { to: 'append' }),
    onProblem: (message) => problems.push(message),
  });
  for (let i = 0; i < 3; i += 1) log.event(began('A', i));
  log.close();
  expect(problems).toEqual([
    `cannot write the log \`${file}\`: no such file or folder (ENOENT); continuing without it`,
  ]);
});
