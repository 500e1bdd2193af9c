/** `node:module`, with what only newer versions of Node have. */
import nodeModule from 'node:module';

export interface ResolveContext {
  readonly parentURL?: string | undefined;
  readonly conditions?: readonly string[];
}

export interface Resolved {
  readonly url: string;
  readonly format?: string | null | undefined;
  readonly shortCircuit?: boolean;
}

export interface LoadContext {
  readonly format?: string | null | undefined;
}

export interface Loaded {
  readonly format: string;
  readonly source?: string | Uint8Array | null;
  readonly shortCircuit?: boolean;
}

export type NextResolve<Value> = (specifier: string, context?: ResolveContext) => Value;
export type NextLoad<Value> = (url: string, context?: LoadContext) => Value;

export interface SyncHooks {
  resolve(specifier: string, context: ResolveContext, next: NextResolve<Resolved>): Resolved;
  load(url: string, context: LoadContext, next: NextLoad<Loaded>): Loaded;
}

interface Newer {
  /** Node 22.15 */
  readonly registerHooks?: (hooks: SyncHooks) => void;
  /** Node 22.13 */
  readonly stripTypeScriptTypes?: (source: string) => string;
}

export const { registerHooks, stripTypeScriptTypes } = nodeModule as Newer;
export const { createRequire, register } = nodeModule;
