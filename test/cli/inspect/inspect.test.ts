import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { acquireLock } from '../../../src/store/lock.ts';
import { began, ended, RUN_ID, runEnded, runStarted } from '../../report/events.ts';
import { SAMPLE } from '../../report/sample-run.ts';
import { Workspace } from '../../rig/orchestrate.ts';
import { fingerprint, withId, writeRun } from './run-folder.ts';

const OTHER = '20260201T000000Z-zzz999';

test('show prints a run from its journal, even if its view is missing or wrong', async () => {
  const workspace = new Workspace();
  const paths = writeRun(workspace.folder, SAMPLE, { noState: true });
  const shown = await workspace.run(['show']);
  expect(shown.exitCode).toBe(0);
  expect(shown.stderr).toBe('');
  expect(shown.stdout).toContain(`${RUN_ID}  failed\n`);
  fs.writeFileSync(paths.state, '{"status": "completed"}');
  expect((await workspace.run(['show', 'last'])).stdout).toBe(shown.stdout);
  const json = JSON.parse((await workspace.run(['show', '20260131T', '--json'])).stdout);
  expect(json).toMatchObject({ run_id: RUN_ID, status: 'failed', process_alive: false });
  expect(json.steps.Plan.cost_usd).toBe(0.25);
});

test('last is the run that was started last, even if the clock was set back since', async () => {
  const workspace = new Workspace({ 'a.yaml': 'name: A\nsteps:\n  - {name: S, command: ["true"]}\n' });
  writeRun(workspace.folder, withId(SAMPLE, '29990101T000000Z-zz0000'));
  for (const _ of [1, 2]) {
    const started = (await workspace.run(['run', 'a.yaml'])).stderr;
    const id = /run (\S+) started/.exec(started)?.[1];
    expect(JSON.parse((await workspace.run(['show', 'last', '--json'])).stdout).run_id).toBe(id);
  }
});

test('inspecting runs changes no byte of them', async () => {
  const workspace = new Workspace();
  const paths = writeRun(workspace.folder, SAMPLE);
  fs.writeFileSync(path.join(paths.logs, 'Plan.stdout'), 'the plan\n');
  // A reader might be tempted to fix a torn tail and a dead owner.
  fs.appendFileSync(paths.journal, '{"seq":99,"type":"step-st');
  fs.writeFileSync(
    paths.lock,
    JSON.stringify({
      pid: 1,
      startTime: '0',
      host: 'elsewhere',
      bootId: 'b',
      nonce: '0'.repeat(32),
      acquiredAt: '2026-01-31T12:00:00.000Z',
    }),
  );
  const before = fingerprint(workspace.folder);
  for (const argv of [
    ['runs'],
    ['runs', '--json'],
    ['show'],
    ['show', '--json', '--all'],
    ['logs', 'last', 'Plan'],
    ['explain', 'last'],
    ['report', 'last', '--format', 'html'],
    ['clean', '--dry-run', '--older-than', '0d'],
  ]) {
    expect((await workspace.run(argv)).exitCode, argv.join(' ')).toBe(0);
  }
  expect(fingerprint(workspace.folder)).toBe(before);
});

test('a run is found by a prefix of its id; if none or several match, the nearest are suggested', async () => {
  const workspace = new Workspace();
  const empty = await workspace.run(['show']);
  expect(empty).toMatchObject({ exitCode: 2, stdout: '' });
  expect(empty.stderr).toBe(
    'error: no runs in this folder yet\nhelp: start one with `orchestrate run <workflow>`, or change to the folder where the workflow was run\n',
  );
  writeRun(workspace.folder, SAMPLE);
  writeRun(workspace.folder, withId(SAMPLE, OTHER));
  expect((await workspace.run(['show', '20260131'])).stdout).toContain(`${RUN_ID}  failed`);
  expect(await workspace.run(['show', '2026'])).toMatchObject({
    exitCode: 2,
    stderr: `error: \`2026\` matches 2 runs\nhelp: use a longer prefix of one of \`${OTHER}\`, \`${RUN_ID}\`\n`,
  });
  expect(await workspace.run(['show', '20260131T120000Z-abc124'])).toMatchObject({
    exitCode: 2,
    stderr: `error: run \`20260131T120000Z-abc124\` not found\nhelp: did you mean \`${RUN_ID}\`?\n`,
  });
  expect(await workspace.run(['explain', 'zzz990'])).toMatchObject({
    exitCode: 2,
    stderr: `error: run \`zzz990\` not found\nhelp: did you mean \`${OTHER}\`?\n`,
  });
  expect((await workspace.run(['show', '../../etc'])).stderr).toMatch(/^error: run `..\/..\/etc` not found/);
});

test('runs are listed newest first, with interrupted and damaged ones marked', async () => {
  const workspace = new Workspace();
  writeRun(workspace.folder, SAMPLE);
  const alive = writeRun(workspace.folder, withId([runStarted('long'), began('A', 0)], OTHER));
  writeRun(workspace.folder, withId([runStarted('dead')], '20260202T000000Z-dead00'));
  const damaged = path.join(workspace.folder, '.orchestrate/runs/20260203T000000Z-damage');
  fs.mkdirSync(damaged);
  fs.writeFileSync(path.join(damaged, 'journal.jsonl'), 'what is this\n');
  fs.mkdirSync(path.join(workspace.folder, '.orchestrate/runs/not-a-run'));
  const lock = acquireLock(alive.lock);
  expect(lock.type).toBe('ok');

  const listed = await workspace.run(['runs']);
  expect(listed.exitCode).toBe(0);
  const rows = listed.stdout
    .trimEnd()
    .split('\n')
    .map((row) => row.split(/ {2,}/));
  expect(rows[0]).toEqual(['RUN', 'STATUS', 'KIND', 'TITLE', 'STARTED', 'TOOK', 'STEPS', 'COST']);
  expect(rows.slice(1).map((row) => row.slice(0, 2))).toEqual([
    ['20260203T000000Z-damage', 'damaged'],
    ['20260202T000000Z-dead00', 'interrupted (process ended)'],
    [OTHER, 'running'],
    [RUN_ID, 'failed'],
  ]);
  const json = JSON.parse((await workspace.run(['runs', '--json', '--status', 'interrupted'])).stdout);
  expect(json).toMatchObject([{ run_id: '20260202T000000Z-dead00', title: 'dead', process_alive: false }]);
  const limited = await workspace.run(['runs', '--limit', '1']);
  expect(limited.stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(limited.stderr).toBe('older runs are not shown; use --limit 0 to show all\n');
  expect((await workspace.run(['runs', '--kind', 'iterate'])).stderr).toBe('no run matches\n');
  expect((await workspace.run(['runs', '--status', 'broken'])).exitCode).toBe(2);
});

test('the readable part of a damaged journal is shown, and the damage is reported', async () => {
  const workspace = new Workspace();
  const paths = writeRun(workspace.folder, [
    runStarted(),
    began('A', 1),
    ended('A', [1, 2]),
    began('B', 3),
    ended('B', [3, 4]),
    runEnded(5, 'completed'),
  ]);
  const lines = fs.readFileSync(paths.journal, 'utf8').split('\n');
  lines[4] = 'x'.repeat(lines[4]?.length ?? 0);
  fs.writeFileSync(paths.journal, lines.join('\n'));
  const shown = await workspace.run(['show']);
  expect(shown.exitCode).toBe(1);
  expect(shown.stdout).toContain('✓ A  1 ms\n');
  expect(shown.stderr).toMatch(/^error: line 5 of the journal .* is damaged.*\nhelp: `orchestrate doctor/);
  const [, message = '', help = ''] = /^error: (.*)\nhelp: (.*)\n$/.exec(shown.stderr) ?? [];
  for (const command of ['resume', 'fork', 'cancel']) {
    const flags = command === 'fork' ? ['--from', 'B'] : [];
    expect(await workspace.run([command, 'last', ...flags])).toMatchObject({
      exitCode: 1,
      stderr: shown.stderr,
    });
  }
  expect((await workspace.run(['doctor', 'last'])).stdout).toContain(`✗ ${message}\n      ${help}\n`);
});

test('explain says why a step ran, was skipped, retried, repeated or replayed from the journal', async () => {
  const workspace = new Workspace();
  writeRun(workspace.folder, [
    ...SAMPLE,
    { type: 'run-resumed', at: '2026-01-31T13:00:00.000Z', tookOver: { pid: 7, host: 'box' } },
    began('Build/1/Make', 3_600_000, { attempt: 2, repeated: true }),
  ]);
  const explain = async (...argv: string[]) => (await workspace.run(['explain', 'last', ...argv])).stdout;
  expect(await explain('Plan')).toBe(`Plan
  2026-01-31 12:00:00 UTC  ▶ first step of the run
  2026-01-31 12:00:01 UTC  ↻ attempt 1 failed: the model is overloaded: busy; next attempt at 2026-01-31T12:00:02.100Z
  2026-01-31 12:00:02 UTC  ▶ attempt 2 started
  2026-01-31 12:00:04 UTC  ✓ succeeded
  2026-01-31 12:00:04 UTC  → succeeded; continuing at \`Build\`
  2026-01-31 13:00:00 UTC  = the run was resumed; the result came from the journal
`);
  expect(await explain('Build/1/Make')).toBe(`Build/1/Make [b|<i>.task]
  2026-01-31 12:00:05 UTC  ▶ first step for item 1 of \`Build\`
  2026-01-31 12:00:05 UTC  ✗ failed: the command ended with exit code 1
  2026-01-31 13:00:00 UTC  ↻ runs again: the run was resumed, and this step had made it fail
  2026-01-31 13:00:00 UTC  ↻ attempt 2: the previous one did not finish because its process was killed
`);
  expect(await explain('Deploy')).toBe(`Deploy
  2026-01-31 12:00:06 UTC  ▶ runs after \`Side\`
  2026-01-31 12:00:06 UTC  ○ skipped: \`a\` is not \`b\`
  2026-01-31 13:00:00 UTC  = the run was resumed; the result came from the journal
`);
  expect(await explain('Side')).toContain('reached from `Build`: failed; continuing at `Side`');
  expect(await explain('Lint')).toContain('first step of branch `left` of `Side`');
  expect(await explain()).toContain('the run was resumed; process 7 on box had died without ending it');
  const json = JSON.parse((await workspace.run(['explain', 'last', 'Plan', '--json'])).stdout);
  expect(json[0].reasons[1]).toMatchObject({ type: 'retried' });
  expect(await workspace.run(['explain', 'last', 'Plam'])).toMatchObject({
    exitCode: 2,
    stderr: 'error: step `Plam` not found in the run\nhelp: did you mean `Plan`?\n',
  });
  expect(await workspace.run(['explain', 'last', 'Make'])).toMatchObject({
    exitCode: 2,
    stderr: 'error: `Make` matches 2 steps\nhelp: use one of `Build/0/Make`, `Build/1/Make`\n',
  });
});

test('a report goes to stdout or to a file, in the format of its extension', async () => {
  const workspace = new Workspace();
  writeRun(workspace.folder, SAMPLE);
  const printed = await workspace.run(['report', 'last']);
  expect(printed.stdout).toMatch(/^# ship/);
  expect((await workspace.run(['report', 'last', '-o', '-'])).stdout).toMatch(/^# /);
  expect(workspace.has('-')).toBe(false);
  const written = await workspace.run(['report', 'last', '-o', 'report.html']);
  expect(written).toMatchObject({ exitCode: 0, stdout: '', stderr: 'wrote report.html\n' });
  expect(workspace.read('report.html')).toMatch(/^<!doctype html>/);
  expect(JSON.parse((await workspace.run(['report', '--format', 'json'])).stdout).report_version).toBe(1);
  expect(await workspace.run(['report', 'last', '-o', 'no/where.md'])).toMatchObject({
    exitCode: 1,
    stderr: 'error: cannot write `no/where.md`: no such file or folder (ENOENT)\n',
  });
});
