import type { Failure } from '../model/failure.ts';

/** What the file system refuses is a failure; anything else thrown is a bug and stays thrown. */
export function attempt(operation: string, path: string, action: () => void): Failure | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return { type: 'file', operation, path, code: errorCode(error) };
  }
}

/** Errors without a code are bugs and stay thrown. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}
