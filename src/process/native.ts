import { join } from 'node:path';
import type { Crc32 } from '../model/crc32.ts';

/** The native part of the program: `native.c`. */
export interface Native {
  /** Sets the stamp of this process, which its children inherit, and returns the previous one; undefined if unsupported. */
  setStamp(stamp: bigint): bigint | undefined;
  /** NUL-terminated: folder, three descriptors, stamp, number of arguments, arguments, `NAME=value`. Returns a pid, or a negative error number. */
  start(fields: string): number;
  /** The exit code of a child, or 256 times the signal that ended it. Negative: it runs (-1), or is no child (-2). */
  endOf(pid: number): number;
  readonly crc32: Crc32;
}

/** Loads it when it is first used. */
export type NativePart = () => Native | undefined;

/** Exists only if the build found a compiler (Linux). */
export function nativeIn(dist: string): NativePart {
  let loaded: { readonly native: Native | undefined } | undefined;
  return () => {
    loaded ??= { native: loadNative(dist) };
    return loaded.native;
  };
}

export function loadNative(dist: string): Native | undefined {
  if (process.platform !== 'linux') return undefined;
  const native: { exports: unknown } = { exports: {} };
  try {
    process.dlopen(native, join(dist, `native-${process.platform}-${process.arch}.node`));
    return native.exports as Native;
  } catch {
    return undefined;
  }
}
