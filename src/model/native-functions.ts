/** What the native part of the program computes faster than JavaScript that was just loaded. A program without it does the same in JavaScript. */
export interface NativeFunctions {
  /** `before`: the checksum of the preceding data. */
  crc32(data: string | Uint8Array, before: number): number;
  /** In hex. */
  sha256(bytes: Uint8Array): string;
}

let load: () => NativeFunctions | undefined = () => undefined;

/** `from` is called when one of them is needed for the first time. */
export function provideNativeFunctions(from: () => NativeFunctions | undefined): void {
  load = from;
}

export function nativeFunctions(): NativeFunctions | undefined {
  return load();
}
