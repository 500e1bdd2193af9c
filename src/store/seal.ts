/**
 * How the program recognises its own work: a seal is made with a key that only the user has, so a file that came with a clone has none.
 *
 * S1 The key is created once, readable by the user alone, in the user's folder, and never leaves it.
 * S2 If the key cannot be read or created, nothing is sealed and no seal is accepted: the user is asked, or the work is done again.
 */
import { join } from 'node:path';
import { sha256 } from '../model/sha256.ts';
import { placeFile } from './atomic-write.ts';
import { makeFolder } from './make-folder.ts';
import { readForeign } from './read-foreign.ts';
import { sweepIfThere } from './temporary-name.ts';

export interface Seals {
  /** Undefined if there is no key. */
  seal(text: string): string | undefined;
  isSealed(text: string, seal: unknown): boolean;
}

const KEY = /^[0-9a-f]{64}\n$/;
const BLOCK_BYTES = 64;

/** The key is loaded when first needed. */
export function createSeals(userFolder: string): Seals {
  const path = join(userFolder, 'key');
  let kept: { readonly key: string | undefined } | undefined;
  const key = (isNeeded: boolean): string | undefined => {
    if (kept === undefined) {
      // Left by a process that was killed while creating the key.
      sweepIfThere(userFolder);
      kept = { key: readKey(path) };
    }
    if (kept.key === undefined && isNeeded) kept = { key: makeKey(userFolder, path) };
    return kept.key;
  };
  return {
    seal(text) {
      const known = key(true);
      return known === undefined ? undefined : keyedDigest(known, text);
    },
    isSealed(text, seal) {
      const known = key(false);
      return known !== undefined && seal === keyedDigest(known, text);
    },
  };
}

function readKey(path: string): string | undefined {
  try {
    const text = readForeign(path, 1024);
    return KEY.test(text) ? text.trimEnd() : undefined;
  } catch {
    return undefined;
  }
}

/** If two processes create one at once, the first wins. */
function makeKey(userFolder: string, path: string): string | undefined {
  try {
    makeFolder(userFolder, 0o700);
    const made = process.getBuiltinModule('node:crypto').randomBytes(32).toString('hex');
    if (placeFile(path, `${made}\n`, { mode: 0o600 })) return made;
  } catch {
    // S2
  }
  return readKey(path);
}

/** HMAC-SHA-256; the key is shorter than a block. */
function keyedDigest(key: string, text: string): string {
  const bytes = Buffer.from(key, 'hex');
  const padded = (filler: number): Buffer => {
    const block = Buffer.alloc(BLOCK_BYTES, filler);
    for (const [index, byte] of bytes.entries()) block[index] = byte ^ filler;
    return block;
  };
  const inner = sha256(Buffer.concat([padded(0x36), Buffer.from(text)]));
  return sha256(Buffer.concat([padded(0x5c), Buffer.from(inner, 'hex')]));
}
