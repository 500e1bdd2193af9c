/**
 * SHA-256 of a text or file, in hex. Implemented here for short input: loading `node:crypto` takes 1.6 ms on Node 20 and 4.3 ms on Node 26,
 * the two digests of a hook take 0.8 ms here. It runs a few times per process, so it is tuned for the interpreter: no calls inside the loops.
 */
import type { Hash } from 'node:crypto';
import { nativeFunctions } from './native-functions.ts';

const SHORT = 16 * 1024;
/** The native part digests 140 MB per second; `node:crypto`, once it is loaded, six times as much. */
const NOT_LONG = 64 * 1024;

let initial: Int32Array | undefined;
let constants: Int32Array | undefined;

export function sha256(input: Uint8Array | string): string {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  const native = bytes.length <= NOT_LONG ? nativeFunctions() : undefined;
  if (native !== undefined) return native.sha256(bytes);
  if (bytes.length <= SHORT) return sha256OfShort(bytes);
  return createSha256().update(bytes).digest('hex');
}

/** For input that comes in parts. */
export function createSha256(): Hash {
  return process.getBuiltinModule('node:crypto').createHash('sha256');
}

function sha256OfShort(bytes: Uint8Array): string {
  const padded = new DataView(new ArrayBuffer((((bytes.length + 8) >> 6) + 1) << 6));
  new Uint8Array(padded.buffer).set(bytes);
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 4, bytes.length << 3);
  initial ??= rootsOfPrimes(8, 1 / 2);
  constants ??= rootsOfPrimes(64, 1 / 3);
  const state = Int32Array.from(initial);
  const words = new Int32Array(64);
  for (let at = 0; at < padded.byteLength; at += 64) {
    for (let i = 0; i < 16; i += 1) words[i] = padded.getInt32(at + i * 4);
    mixBlock(state, constants, words);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The first 32 bits of the fractional parts of the roots of the first primes: the standard's nothing-up-my-sleeve numbers. */
function rootsOfPrimes(count: number, power: number): Int32Array {
  const words = new Int32Array(count);
  let found = 0;
  for (let candidate = 2; found < count; candidate += 1) {
    let divisor = 2;
    while (divisor * divisor <= candidate && candidate % divisor !== 0) divisor += 1;
    if (divisor * divisor <= candidate) continue;
    const root = candidate ** power;
    words[found] = Math.floor((root - Math.floor(root)) * 2 ** 32);
    found += 1;
  }
  return words;
}

/** `w`: the block in its first 16 words; `k`: as many constants as `w` has words. */
function mixBlock(state: Int32Array, k: Int32Array, w: Int32Array): void {
  for (let i = 16; i < 64; i += 1) {
    const x = w[i - 15] as number;
    const y = w[i - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16] as number) + s0 + (w[i - 7] as number) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const e3 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const a3 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t1 = h + e3 + ((e & f) ^ (~e & g)) + (k[i] as number) + (w[i] as number);
    const t2 = a3 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + word;
}
