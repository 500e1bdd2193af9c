import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SHIM = path.join(
  path.dirname(fileURLToPath(import.meta.url)),
  ...['..', '..', 'proof', 'rig', 'kill-at.cjs'],
);

export interface KillOrder {
  readonly when?: 'before' | 'after' | 'torn';
  readonly name?: string;
  readonly kind?: string;
  readonly file?: string;
  readonly number?: number;
  readonly trace?: string;
}

/** The environment in which the program kills itself at an operation on the disk, or records all of them. */
export function killAt(order: KillOrder): { readonly [name: string]: string } {
  return { NODE_OPTIONS: `--require=${SHIM}`, KILL_AT: JSON.stringify(order) };
}
