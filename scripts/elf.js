/** What a 64-bit ELF file says about the machine and the libraries that it needs. */
const PROCESSORS = { 62: 'x64', 183: 'arm64' };
const [INTERPRETER, DYNAMIC, LOADED] = [3, 2, 1];
const [NEEDED, STRINGS] = [1n, 5n];

/** @returns {{processor: string, interpreter?: string, libraries: string[]}} */
export function elfOf(bytes) {
  if (bytes.toString('latin1', 0, 4) !== '\x7fELF') throw new Error('not an ELF file');
  const headers = programHeaders(bytes);
  const interpreter = headers.find(({ type }) => type === INTERPRETER);
  const machine = bytes.readUInt16LE(18);
  return {
    processor: PROCESSORS[machine] ?? `processor ${machine}`,
    interpreter: interpreter === undefined ? undefined : textAt(bytes, interpreter.offset),
    libraries: librariesOf(bytes, headers),
  };
}

function programHeaders(bytes) {
  const start = Number(bytes.readBigUInt64LE(32));
  const [size, count] = [bytes.readUInt16LE(54), bytes.readUInt16LE(56)];
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * size;
    return {
      type: bytes.readUInt32LE(at),
      offset: Number(bytes.readBigUInt64LE(at + 8)),
      address: Number(bytes.readBigUInt64LE(at + 16)),
      length: Number(bytes.readBigUInt64LE(at + 32)),
    };
  });
}

function librariesOf(bytes, headers) {
  const dynamic = headers.find(({ type }) => type === DYNAMIC);
  if (dynamic === undefined) return [];
  const entries = Array.from({ length: dynamic.length / 16 }, (_, index) => {
    const at = dynamic.offset + 16 * index;
    return { tag: bytes.readBigInt64LE(at), value: Number(bytes.readBigUInt64LE(at + 8)) };
  });
  const strings = entries.find(({ tag }) => tag === STRINGS)?.value ?? 0;
  return entries
    .filter(({ tag }) => tag === NEEDED)
    .map(({ value }) => textAt(bytes, offsetOf(strings, headers) + value));
}

/** Where the byte with this address is in the file. */
function offsetOf(address, headers) {
  const part = headers.find(
    (each) => each.type === LOADED && each.address <= address && address < each.address + each.length,
  );
  return part === undefined ? address : address - part.address + part.offset;
}

function textAt(bytes, start) {
  return bytes.toString('latin1', start, bytes.indexOf(0, start));
}
