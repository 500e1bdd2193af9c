import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isOnLocalDisk } from '../../src/store/local-disk.ts';
import { folderForEach } from '../rig/temporary-folder.ts';

const folder = folderForEach();

it('says the same of a folder before it is made and after: what a killed process left in it is found again', () => {
  expect(isOnLocalDisk(join(folder.path, 'still', 'to be made'))).toBe(isOnLocalDisk(folder.path));
});
