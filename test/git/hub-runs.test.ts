/** Several runs on one machine: their calls have the same names. */
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { receiveFiles, sendFiles } from '../../src/git/hub/call-files.ts';
import { giveFiles, takeGiven } from '../../src/git/hub/given-files.ts';
import { temporaryFolder, writeFiles } from '../rig/temporary-folder.ts';
import { cloneOf, makeHub, must } from './hub-site.ts';

const RUNS = ['a', 'b', 'c', 'd', 'e', 'f'].map((end) => `20260131T000000Z-abc12${end}`);

it('steps of the same name in runs at the same time have logs and given files of their own', async () => {
  const hub = makeHub();
  const [host, worker] = [await cloneOf(hub), await cloneOf(hub)];
  const calls = RUNS.map((runId) => {
    const [from, to] = [temporaryFolder(), temporaryFolder()];
    writeFiles(from, { 'logs/Build.stdout': `of ${runId}\n` });
    const call = { runId, call: 'Build~1', base: '' };
    return { call, from, to, files: { folder: from, paths: ['logs/Build.stdout'] } };
  });
  const bring = {
    sent: async ({ call, files, to }: (typeof calls)[number]) => {
      must(await sendFiles(worker, { call, execution: '1.w' }, files));
      return receiveFiles(host, { call, execution: '1.w' }, to);
    },
    given: async ({ call, files, to }: (typeof calls)[number]) => {
      must(await giveFiles(host, call, files));
      return takeGiven(worker, call, to);
    },
  };
  for (const each of [bring.sent, bring.given]) {
    expect((await Promise.all(calls.map(each))).map(must)).toEqual(RUNS.map(() => ['logs/Build.stdout']));
    for (const { call, to } of calls) {
      expect(fs.readFileSync(join(to, 'logs/Build.stdout'), 'utf8')).toBe(`of ${call.runId}\n`);
      fs.rmSync(join(to, 'logs'), { recursive: true });
    }
  }
});
