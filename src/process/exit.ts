import { constants } from 'node:os';
import type { ProcessRequest } from './request.ts';

/** A request whose environment carries a mark that no other process has. */
export interface MarkedRequest extends ProcessRequest {
  readonly mark: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** 128 + the signal's number, as a shell says it. */
export function exitCodeOf(exit: Exit): { readonly exitCode: number; readonly signal?: string } {
  if (exit.signal === null) return { exitCode: exit.code ?? 1 };
  return { exitCode: 128 + (constants.signals[exit.signal] ?? 0), signal: exit.signal };
}
