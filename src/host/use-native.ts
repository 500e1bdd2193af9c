import { provideNativeFunctions } from '../model/native-functions.ts';
import { nativeIn } from '../process/native.ts';

/** Checksums, digests and short files come from the native part from now on, if it exists. It is loaded with the first of them. */
export function useNative(dist: string): void {
  provideNativeFunctions(nativeIn(dist));
}
