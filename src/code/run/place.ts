/** Where in the user's files something happened. */
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const FRAME = /^\s*at (?:.*\()?((?:file:\/\/)?\/.*?):(\d+):(\d+)\)?$/;

/** `review.workflow.ts:13:32`: the innermost frame in one of these files; undefined if there is none. */
export function placeIn(
  stack: string,
  { workspace, files }: { readonly workspace: string; readonly files: readonly string[] },
): string | undefined {
  for (const line of stack.split('\n')) {
    const [, address = '', row, column] = FRAME.exec(line) ?? [];
    if (address === '') continue;
    const file = fileOf(address, workspace);
    if (files.includes(file)) return `${file}:${row}:${column}`;
  }
  return undefined;
}

function fileOf(address: string, workspace: string): string {
  // A file that was loaded again, or from a copy, has a query.
  const plain = address.replace(/\?.*$/, '');
  const path = plain.startsWith('file:') ? fileURLToPath(plain) : plain;
  const copy = /\/\.orchestrate\/runs\/[^/]+\/program\/(.*)$/.exec(path)?.[1];
  return copy ?? relative(workspace, path).split(sep).join('/');
}
