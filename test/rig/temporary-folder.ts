import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, onTestFinished } from 'vitest';

/** A folder for one test, removed when the test ends. Its path is real: it contains no link. */
export function temporaryFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-test-')));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A new folder for each test of a file or of a `describe`. */
export function folderForEach(): { readonly path: string } {
  const folder = { path: '' };
  beforeEach(() => {
    folder.path = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-test-')));
  });
  afterEach(() => fs.rmSync(folder.path, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Writes files below a folder: path → contents. */
export function writeFiles(folder: string, files: { readonly [path: string]: string }): void {
  for (const [name, contents] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, contents);
  }
}
