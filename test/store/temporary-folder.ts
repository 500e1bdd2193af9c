import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';

type Hook = (action: () => void) => void;

/** A new empty folder for every test, given as its real path; gone afterwards. */
export function makeFolder(beforeEach: Hook, afterEach: Hook): { readonly path: string } {
  const folder = { path: '' };
  beforeEach(() => {
    folder.path = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), 'orchestrate-test-')));
  });
  afterEach(() => fs.rmSync(folder.path, { recursive: true, force: true }));
  return folder;
}
