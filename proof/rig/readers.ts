/**
 * The product's file readers, to be called a hundred thousand times. This is the only place where a suite uses the code under
 * test (P2): it passes bytes in and compares the result with the bytes; the same is tried with the real program, less often.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export type Read =
  | { readonly type: 'ok'; readonly value: unknown }
  | { readonly type: 'error'; readonly error: unknown };

export interface Readers {
  journal(file: string): Read;
  phases(file: string): Read;
  metadata(file: string): Read;
  conversation(file: string): Read;
  cassette(file: string): Read;
}

const ENTRY = `
import fs from 'node:fs';
import { parseCassette } from './src/agents/cassette.ts';
import { parseSession } from './src/converse/session.ts';
import { parseMetadata } from './src/iterate/workspace/metadata.ts';
import { parsePhases } from './src/phases/document.ts';
import { loadDocument } from './src/store/document.ts';
import { readJournal } from './src/store/journal-file.ts';
export const journal = readJournal;
export const phases = (file) => loadDocument(file, parsePhases);
export const metadata = (file) => loadDocument(file, parseMetadata);
export const conversation = (file) => loadDocument(file, parseSession);
export const cassette = (file) => parseCassette(fs.readFileSync(file, 'utf8'), { workspace: '/w', directory: '/w/r' });
`;

/** Built from the sources at `root`, in `folder`. */
export function loadReaders(root: string, folder: string): Promise<Readers> {
  return bundled<Readers>(root, folder, ENTRY);
}

/** Bundles the text of a module whose imports start with `./src/`. */
export async function bundled<Exports>(root: string, folder: string, text: string): Promise<Exports> {
  const outfile = path.join(folder, 'bundled.mjs');
  const entry = path.join(folder, 'entry.ts');
  fs.writeFileSync(entry, text.replaceAll("'./src/", `'${path.join(root, 'src')}/`));
  execFileSync(
    path.join(root, 'node_modules', '.bin', 'esbuild'),
    [
      ...[entry, '--bundle', '--platform=node', '--format=esm', '--log-level=error', `--outfile=${outfile}`],
      // Some dependencies are CommonJS.
      `--banner:js=import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
    ],
    { cwd: root },
  );
  return import(pathToFileURL(outfile).href);
}
