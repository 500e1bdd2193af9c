import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { compactTimestamp } from '../../../src/model/ids.ts';
import { acquireLock } from '../../../src/store/lock.ts';
import { asked, runEnded, runStarted } from '../../report/events.ts';
import { SAMPLE } from '../../report/sample-run.ts';
import { BINARY, Workspace } from '../../rig/orchestrate.ts';
import { withId, writeRun } from './run-folder.ts';

const DAY = 86_400_000;

function idOf(daysAgo: number, tail: string): string {
  return `${compactTimestamp(new Date(Date.now() - daysAgo * DAY))}-${tail}`;
}

test('clean removes old ended runs and keeps new, waiting and running ones', async () => {
  const workspace = new Workspace();
  const [young, waiting, alive, old, older] = [
    idOf(2, 'young0'),
    idOf(40, 'wait00'),
    idOf(41, 'alive0'),
    idOf(50, 'old000'),
    idOf(60, 'older0'),
  ];
  writeRun(workspace.folder, withId(SAMPLE, young));
  writeRun(
    workspace.folder,
    withId([runStarted(), asked('A', 1, { message: '?', choices: ['y'] }), runEnded(2, 'waiting')], waiting),
  );
  const living = writeRun(workspace.folder, withId(SAMPLE, alive));
  writeRun(workspace.folder, withId([runStarted()], old));
  writeRun(workspace.folder, withId(SAMPLE, older));
  expect(acquireLock(living.lock).type).toBe('ok');

  const asks = await workspace.run(['clean']);
  expect(asks).toMatchObject({
    exitCode: 1,
    stderr:
      'error: cannot ask before removing 2 runs: not a terminal\nhelp: use `--force` to remove without asking\n',
  });
  const dry = await workspace.run(['clean', '--dry-run']);
  expect(dry.exitCode).toBe(0);
  expect(dry.stdout.split('\n').map((line) => line.split('  ').slice(0, 2))).toEqual([
    [old, 'interrupted'],
    [older, 'failed'],
    [''],
  ]);
  expect(workspace.runs()).toHaveLength(5);

  expect(await workspace.run(['clean', '--force', '--keep', '4'])).toMatchObject({
    exitCode: 0,
    stderr: 'removed 1 run\n',
  });
  expect(workspace.runs()).toEqual([old, alive, waiting, young]);
  expect((await workspace.run(['clean', '-f', '--older-than', '1d', '--status', 'failed'])).exitCode).toBe(0);
  expect(workspace.runs()).toEqual([old, alive, waiting]);
  expect(
    (await workspace.run(['clean', '-f', '--status', 'waiting', '--status', 'interrupted'])).exitCode,
  ).toBe(0);
  expect(workspace.runs()).toEqual([alive]);
  expect((await workspace.run(['clean', '-f', '--older-than', '0d'])).stderr).toBe('nothing to remove\n');
  expect((await workspace.run(['clean', '--older-than', 'soon'])).exitCode).toBe(2);
  expect(await workspace.run(['clean', '-f', '--status', 'failed', '--status', 'broken'])).toMatchObject({
    exitCode: 2,
    stderr:
      'error: unknown status `broken`\nhelp: use one of running, waiting, completed, failed, cancelled, interrupted, damaged\n',
  });
});

test.each([
  ['Ctrl+D', '\u0004', 0],
  ['Ctrl+C', '\u0003', 130],
  ['no', 'n\r', 0],
])('answering the question of clean with %s removes nothing', async (_name, key, exitCode) => {
  const workspace = new Workspace();
  writeRun(workspace.folder, withId(SAMPLE, idOf(60, 'older0')));
  const child = spawn('script', ['-qec', `exec ${process.execPath} ${BINARY} clean`, '/dev/null'], {
    cwd: workspace.folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (!said.includes('[y/N]') && (said + chunk).includes('[y/N]')) child.stdin.write(key);
    said += chunk;
  });
  const [code] = await once(child, 'close');
  expect([code, said]).toEqual([exitCode, expect.not.stringContaining('internal error')]);
  expect(workspace.runs()).toHaveLength(1);
});
