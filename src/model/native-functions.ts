/** What the native part of the program does faster than JavaScript that was just loaded. A program without it does the same in JavaScript. */
export interface NativeFunctions {
  /** `before`: the checksum of the preceding data. */
  crc32(data: string | Uint8Array, before: number): number;
  /** In hex. */
  sha256(bytes: Uint8Array): string;
  /** The text of a file of fewer than 64 KiB; undefined if it is empty, longer, not a regular file or cannot be opened, also because it is a link. */
  readShort(path: string): string | undefined;
}

let load: () => NativeFunctions | undefined = () => undefined;

/** `from` is called when one of them is needed for the first time. */
export function provideNativeFunctions(from: () => NativeFunctions | undefined): void {
  load = from;
}

export function nativeFunctions(): NativeFunctions | undefined {
  return load();
}
