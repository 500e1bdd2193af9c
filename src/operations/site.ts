/** What an operation knows about its caller. Operations read nothing from `process`. */
import type { TrustBook } from './trust-book.ts';

export interface Site {
  /** Absolute real path of the workspace. */
  readonly workspace: string;
  readonly environment: Environment;
  /** Settings made by an agent are not trusted as the user's. */
  readonly asker: 'user' | 'agent';
  /** What the user trusts to run. */
  readonly trust: TrustBook;
  now(): Date;
}

export type Environment = { readonly [name: string]: string | undefined };
