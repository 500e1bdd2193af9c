import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const shim = (name: string): string => `--require=${path.join(HERE, '..', '..', 'proof', 'rig', name)}`;

/** The environment of a program for which one disk operation below a folder fails, as on a full disk. */
export function refusing(
  folder: string,
  refused: { readonly kind: string; readonly file: string; readonly number: number },
): { readonly [name: string]: string } {
  const order = { folder, code: 'ENOSPC', lasts: false, ...refused };
  return { NODE_OPTIONS: shim('fail-at.cjs'), FAIL_AT: JSON.stringify(order) };
}

/** The same for a disk that cannot be read, once. */
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
