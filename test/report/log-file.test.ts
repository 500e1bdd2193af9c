import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createLogFile } from '../../src/report/log-file.ts';
import { openPlainTo } from '../../src/store/plain-file.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { at, began, ended, runEnded, runStarted } from './events.ts';

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
