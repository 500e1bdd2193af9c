import fs from 'node:fs';
import os from 'node:os';
import { dirname, join, relative } from 'node:path';

const folders: string[] = [];

/** With these files. Removed when the process exits. */
export function temporaryWorkspace(files: { readonly [path: string]: string }): string {
  const folder = fs.mkdtempSync(join(fs.realpathSync(os.tmpdir()), 'orchestrate-rehearsal-'));
  if (folders.length === 0) process.once('exit', removeAll);
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    if (relative(folder, path).startsWith('..')) throw new Error(`\`${name}\` is not inside the workspace`);
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, text);
  }
  return folder;
}

function removeAll(): void {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
}
