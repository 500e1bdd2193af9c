import { join } from 'node:path';
import type { NativeFunctions } from '../model/native-functions.ts';

/** The native part of the program: `native.c`. */
export interface Native extends NativeFunctions {
  /** Sets the stamp of this process, which its children inherit, and returns the previous one; undefined if unsupported. */
  setStamp(stamp: bigint): bigint | undefined;
  /** NUL-terminated: folder, three descriptors, stamp, number of arguments, arguments, `NAME=value`. Returns a pid, or a negative error number. */
  start(fields: string): number;
  /** The exit code of a child, or 256 times the signal that ended it. Negative: it runs (-1), or is no child (-2). */
  endOf(pid: number): number;
}

/** Loads it when it is first used. */
export type NativePart = () => Native | undefined;

const loaded = new Map<string, Native | undefined>();

/** Exists only if the build found a compiler (Linux). */
export function nativeIn(dist: string): NativePart {
  return () => {
    if (!loaded.has(dist)) loaded.set(dist, loadNative(dist));
    return loaded.get(dist);
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
