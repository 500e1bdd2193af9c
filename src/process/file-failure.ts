import type { Failure } from '../model/failure.ts';

/** Turns file system errors into failures; anything else is a bug and is rethrown. */
export function attempt(operation: string, path: string, action: () => void): Failure | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return { type: 'file', operation, path, code: errorCode(error) };
  }
}

/** Rethrows errors without a code, which are bugs. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}
