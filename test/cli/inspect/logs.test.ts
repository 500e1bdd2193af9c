import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { acquireLock } from '../../../src/store/lock.ts';
import { began, ended, runStarted } from '../../report/events.ts';
import { until, Workspace } from '../../rig/orchestrate.ts';
import { writeRun } from './run-folder.ts';

function runWithLogs(workspace: Workspace) {
  const paths = writeRun(workspace.folder, [
    runStarted(),
    began('Zip', 0),
    ended('Zip', [0, 1]),
    began('Loop/0/Make', 2),
    ended('Loop/0/Make', [2, 3]),
    began('Ask', 4, { effect: 'run-agent' }),
  ]);
  const write = (name: string, text: string | Uint8Array) => {
    fs.mkdirSync(path.dirname(path.join(paths.directory, name)), { recursive: true });
    fs.writeFileSync(path.join(paths.directory, name), text);
  };
  write('logs/Loop.0.Make.stdout', 'made\n');
  write('logs/Zip.stdout', 'first\n');
  write('logs/Zip.try2.stdout', 'second\n');
  write('logs/Zip.stderr', 'oh\n');
  write('logs/Zip.more.stdout', 'of another step\n');
  write('logs/Ask.stderr', Uint8Array.of(0xff, 0x1b, 0x5b, 0x32, 0x4a, 0x0a));
  write('prompts/001-Ask.txt', 'do it\n');
  write('prompts/002-Ask@ask2.txt', 'again\n');
  write('responses/001-Ask.json', '{"cost": 1}\n');
  return paths;
}

test('logs prints the output of a step byte for byte, and all steps in the order of the run', async () => {
  const workspace = new Workspace();
  runWithLogs(workspace);
  const logs = async (...argv: string[]) => (await workspace.run(['logs', ...argv])).stdout;
  expect(await logs('last', 'Make')).toBe('made\n');
  expect(await logs('last', 'Zip', '--stderr')).toBe('oh\n');
  expect(await logs('last', 'Zip')).toBe('==> Zip.stdout <==\nfirst\n==> Zip.try2.stdout <==\nsecond\n');
  expect(await logs('last', 'Zip', '--attempt', '2')).toBe('second\n');
  expect(await logs('last', 'Zip', '--attempt', '1')).toBe('first\n');
  expect(await logs('last', 'Ask', '--prompt')).toBe(
    '==> 001-Ask.txt <==\ndo it\n==> 002-Ask@ask2.txt <==\nagain\n',
  );
  expect(await logs('last', 'Ask', '--response')).toBe('{"cost": 1}\n');
  expect((await logs()).split('\n').filter((line) => line.startsWith('==>'))).toEqual([
    '==> Zip.stdout <==',
    '==> Zip.try2.stdout <==',
    '==> Loop.0.Make.stdout <==',
    '==> Zip.more.stdout <==',
  ]);
  expect(await workspace.run(['logs', 'last', 'Ask'])).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: '`Ask` wrote nothing to stdout\nhelp: it wrote to stderr; use `--stderr`\n',
  });
  const started = workspace.start(['logs', 'last', 'Ask', '--stderr']);
  const bytes: Buffer[] = [];
  started.child.stdout?.on('data', (chunk: Buffer) => bytes.push(chunk));
  await started.ended;
  expect([...Buffer.concat(bytes)]).toEqual([0xff, 0x1b, 0x5b, 0x32, 0x4a, 0x0a]);
  expect((await workspace.run(['logs', 'last', 'Zip', '--stderr', '--prompt'])).exitCode).toBe(2);
});

test('logs --follow prints until no process owns the run', async () => {
  const workspace = new Workspace();
  const paths = runWithLogs(workspace);
  const lock = acquireLock(paths.lock);
  if (lock.type === 'error') throw new Error('held');
  const started = workspace.start(['logs', 'last', 'Make', '--follow']);
  let seen = '';
  started.child.stdout?.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
  });
  await until(() => seen === 'made\n');
  fs.appendFileSync(path.join(paths.logs, 'Loop.0.Make.stdout'), 'more\n');
  await until(() => seen === 'made\nmore\n');
  expect(started.child.exitCode).toBe(null);
  fs.appendFileSync(path.join(paths.logs, 'Loop.0.Make.stdout'), 'last\n');
  lock.value.release();
  expect(await started.ended).toMatchObject({ exitCode: 0, stdout: 'made\nmore\nlast\n' });
});

const LOOP = `
steps:
  - name: Review
    for_each:
      items: ["app/[slug]/page.tsx", src/b.ts]
      steps:
        - {name: Count, command: [printf, "%s", "\${item}"]}
        - {name: Ask, provider: mock, prompt: "Look at \${item}"}
  - {name: End, command: [echo, end]}
`;

test('logs names the item of each log, and starts every title on a new line', async () => {
  const workspace = new Workspace({ 'w.yaml': LOOP });
  await workspace.run(['run', 'w.yaml', '--quiet']);
  const answer = (item: string) => `This is the mock agent. I was asked: Look at ${item}\n`;
  expect((await workspace.run(['logs'])).stdout).toBe(
    [
      '==> Review.0.Count.stdout [app/[slug]/page.tsx] <==\napp/[slug]/page.tsx\n',
      `==> Review.0.Ask.stdout [app/[slug]/page.tsx] <==\n${answer('app/[slug]/page.tsx')}`,
      '==> Review.1.Count.stdout [src/b.ts] <==\nsrc/b.ts\n',
      `==> Review.1.Ask.stdout [src/b.ts] <==\n${answer('src/b.ts')}`,
      '==> End.stdout <==\nend\n',
    ].join(''),
  );
  const followed = (await workspace.run(['logs', 'last', '--follow'])).stdout;
  expect(followed).toContain('==> Review.1.Count.stdout [src/b.ts] <==\nsrc/b.ts\n==> ');
  expect((await workspace.run(['logs', 'last', '--prompt'])).stdout).toContain(
    '\n==> 002-Review.1.Ask.txt [src/b.ts] <==\n',
  );
});

test('logs of a loop, an item or a name shared by several steps prints all logs that belong to it', async () => {
  const workspace = new Workspace({ 'w.yaml': LOOP });
  await workspace.run(['run', 'w.yaml', '--quiet']);
  const titles = async (...argv: string[]) =>
    (await workspace.run(['logs', 'last', ...argv])).stdout.match(/(?<===> )\S+/g);
  expect(await titles('Review')).toEqual([
    ...['Review.0.Count.stdout', 'Review.0.Ask.stdout', 'Review.1.Count.stdout', 'Review.1.Ask.stdout'],
  ]);
  expect(await titles('Review/1')).toEqual(['Review.1.Count.stdout', 'Review.1.Ask.stdout']);
  expect(await titles('Count')).toEqual(['Review.0.Count.stdout', 'Review.1.Count.stdout']);
  expect(await titles('Review/1/Count')).toBe(null);
  expect(await titles('Review', '--response')).toEqual(['001-Review.0.Ask.json', '002-Review.1.Ask.json']);
  expect(await titles('--response')).toEqual(['001-Review.0.Ask.json', '002-Review.1.Ask.json']);
});
