/**
 * How the program recognises its own work: a seal is made with a key that only the user has, so a file that came with a clone has none.
 *
 * S1 The key is created once, readable by the user alone, in the user's folder, and never leaves it.
 * S2 If the key cannot be read or created, nothing is sealed and no seal is accepted: the user is asked, or the work is done again.
 */
import { join } from 'node:path';
import { errnoWords } from '../model/describe-failure.ts';
import { sha256 } from '../model/sha256.ts';
import { placeFile } from './atomic-write.ts';
import { errnoOf } from './errno.ts';
import { makeFolder } from './make-folder.ts';
import { readForeign } from './read-foreign.ts';
import { sweepIfThere } from './temporary-name.ts';

export interface Seals {
  /** Undefined if there is no key. */
  seal(text: string): string | undefined;
  isSealed(text: string, seal: unknown): boolean;
  /** Why the existing key could not be read. */
  unread(): string | undefined;
}

const KEY = /^[0-9a-f]{64}\n$/;
const BLOCK_BYTES = 64;

/** The key is loaded when first needed. */
export function createSeals(userFolder: string): Seals {
  const path = join(userFolder, 'key');
  let kept: Key | undefined;
  const key = (isNeeded: boolean): string | undefined => {
    if (kept === undefined) {
      // Left by a process that was killed while creating the key.
      sweepIfThere(userFolder);
      kept = readKey(path);
    }
    if (kept.key === undefined && isNeeded) kept = makeKey(userFolder, path);
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
    unread: () => kept?.unread,
  };
}

interface Key {
  readonly key?: string;
  readonly unread?: string;
}

function readKey(path: string): Key {
  try {
    const text = readForeign(path, 1024);
    return KEY.test(text) ? { key: text.trimEnd() } : { unread: `\`${path}\` does not contain a key` };
  } catch (cause) {
    const code = errnoOf(cause);
    return code === 'ENOENT' ? {} : { unread: `cannot read \`${path}\`: ${errnoWords(code)}` };
  }
}

/** If two processes create one at once, the first wins. */
function makeKey(userFolder: string, path: string): Key {
  try {
    makeFolder(userFolder, 0o700);
    const made = process.getBuiltinModule('node:crypto').randomBytes(32).toString('hex');
    if (placeFile(path, `${made}\n`, { mode: 0o600 })) return { key: made };
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
