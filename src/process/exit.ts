import os from 'node:os';
import type { ProcessRequest } from './request.ts';

/** A request whose environment carries a unique mark. */
export interface MarkedRequest extends ProcessRequest {
  readonly mark: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** 128 + the signal's number, as in a shell. */
export function exitCodeOf(exit: Exit): { readonly exitCode: number; readonly signal?: string } {
  if (exit.signal === null) return { exitCode: exit.code ?? 1 };
  return { exitCode: 128 + (os.constants.signals[exit.signal] ?? 0), signal: exit.signal };
}
