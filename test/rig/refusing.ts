import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const SHIM = path.join(HERE, '..', '..', 'proof', 'rig', 'fail-at.cjs');

/** The environment of a program to which the disk refuses one operation below a folder, as one that is full does. */
export function refusing(
  folder: string,
  refused: { readonly kind: string; readonly file: string; readonly number: number },
): { readonly [name: string]: string } {
  const order = { folder, code: 'ENOSPC', lasts: false, ...refused };
  return { NODE_OPTIONS: `--require=${SHIM}`, FAIL_AT: JSON.stringify(order) };
}
