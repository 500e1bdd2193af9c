import { expect, it } from 'vitest';
import { moveRefs } from '../../src/git/hub/hub.ts';
import { filesRef } from '../../src/git/hub/hub-refs.ts';
import { RunFolder } from '../../src/git/hub/run-folder.ts';
import { ok } from '../../src/model/result.ts';
import { temporaryFolder, writeFiles } from '../rig/temporary-folder.ts';
import { cloneOf, fileIn, makeHub, must, RUN } from './hub-site.ts';

it('the folder of a run is brought to the hub by one at a time, with all that was there before (O1)', async () => {
  const hub = makeHub();
  const clone = await cloneOf(hub);
  const directory = temporaryFolder();
  const folder = new RunFolder(clone, RUN, directory);
  let atOnce = 0;
  const bring = async (name: string): Promise<void> => {
    writeFiles(directory, { [`merges/${name}`]: name });
    const brought = await folder.bring('needed', async (moves) => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      must(await moveRefs(clone, moves));
      atOnce -= 1;
      return ok(undefined);
    });
    expect(must(brought)).toBe(undefined);
    expect(fileIn(hub, filesRef(RUN), `merges/${name}`)).toBe(name);
  };
  await Promise.all(['a', 'b', 'c', 'd'].map(bring));
  must(
    await folder.bring('needed', async (moves) => {
      expect(moves).toEqual([]);
      return ok(undefined);
    }),
  );
});
