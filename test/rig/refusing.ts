import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const shim = (name: string): string => `--require=${path.join(HERE, '..', '..', 'proof', 'rig', name)}`;

/** The environment of a program to which the disk refuses one operation below a folder, as one that is full does. */
export function refusing(
  folder: string,
  refused: { readonly kind: string; readonly file: string; readonly number: number },
): { readonly [name: string]: string } {
  const order = { folder, code: 'ENOSPC', lasts: false, ...refused };
  return { NODE_OPTIONS: shim('fail-at.cjs'), FAIL_AT: JSON.stringify(order) };
}

/** The same for one that cannot be read, as a broken one: once. */
export function refusingToBeRead(
  folder: string,
  refused: {
    readonly kind: 'open' | 'read' | 'close' | 'list';
    readonly file: string;
    readonly number: number;
  },
): { readonly [name: string]: string } {
  const order = { folder, code: 'EIO', lasts: false, ...refused };
  return { NODE_OPTIONS: shim('fail-reading.cjs'), FAIL_READING: JSON.stringify(order) };
}
