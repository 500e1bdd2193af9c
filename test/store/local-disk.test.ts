import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isOnLocalDisk } from '../../src/store/local-disk.ts';
import { folderForEach } from '../rig/temporary-folder.ts';

const folder = folderForEach();

it('is the same for a folder before and after it is created, so that leftovers of a killed process are found', () => {
  expect(isOnLocalDisk(join(folder.path, 'still', 'to be made'))).toBe(isOnLocalDisk(folder.path));
});
