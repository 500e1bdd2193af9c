import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './orchestrate.ts';
import { temporaryFolder } from './temporary-folder.ts';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const SHIM = path.join(HERE, '..', '..', 'proof', 'rig', 'gate-at.cjs');

export interface Gate {
  readonly env: { readonly [name: string]: string };
  /** Resolves when the program is at the gate. */
  reached(): Promise<void>;
  open(): void;
}

/** Stops the program before its first operation of a kind on a file with this end of its path. */
export function gateAt(operation: { readonly kind: string; readonly file: string }): Gate {
  const folder = temporaryFolder();
  const ready = path.join(folder, 'ready');
  const gate = path.join(folder, 'open');
  fs.mkdirSync(ready);
  return {
    env: { NODE_OPTIONS: `--require=${SHIM}`, GATE_AT: JSON.stringify({ ...operation, gate, ready }) },
    reached: () => until(() => fs.readdirSync(ready).length > 0),
    open: () => fs.writeFileSync(gate, ''),
  };
}
