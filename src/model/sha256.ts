/**
 * SHA-256 of a text or file, in hex. For short ones written out, because loading and starting `node:crypto` costs 4 ms of the 75 ms that
 * a run of one step takes.
 */
const SHORT = 16 * 1024;

export function sha256(input: Uint8Array | string): string {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  if (bytes.length <= SHORT) return sha256OfShort(bytes);
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
}

function sha256OfShort(bytes: Uint8Array): string {
  const padded = new DataView(new ArrayBuffer((((bytes.length + 8) >> 6) + 1) << 6));
  new Uint8Array(padded.buffer).set(bytes);
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 8, Math.floor(bytes.length / 0x20000000));
  padded.setUint32(padded.byteLength - 4, bytes.length << 3);
  const state = rootsOfPrimes(8, 1 / 2);
  const constants = rootsOfPrimes(64, 1 / 3);
  for (let at = 0; at < padded.byteLength; at += 64)
    mixBlock(state, constants, (i) => padded.getUint32(at + i * 4));
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

/** The first 32 bits of the fractional parts of the roots of the first primes: the standard's nothing-up-my-sleeve numbers. */
function rootsOfPrimes(count: number, power: number): Uint32Array {
  const words = new Uint32Array(count);
  let found = 0;
  for (let candidate = 2; found < count; candidate += 1) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) {
      if (candidate % divisor === 0) isPrime = false;
    }
    if (!isPrime) continue;
    const root = candidate ** power;
    words[found] = Math.floor((root - Math.floor(root)) * 2 ** 32);
    found += 1;
  }
  return words;
}

function mixBlock(state: Uint32Array, constants: Uint32Array, wordAt: (index: number) => number): void {
  const w = new Uint32Array(64);
  const at = (index: number): number => w[index] ?? 0;
  for (let i = 0; i < 64; i += 1) {
    if (i < 16) {
      w[i] = wordAt(i);
      continue;
    }
    const x = at(i - 15);
    const y = at(i - 2);
    const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    w[i] = at(i - 16) + s0 + at(i - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const t1 =
      h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (constants[i] ?? 0) + at(i);
    const t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + t1) >>> 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) >>> 0;
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] ?? 0) + word;
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
