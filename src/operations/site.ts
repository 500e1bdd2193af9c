/** What an operation knows of where it is asked: it reads nothing of its own process. */
import type { TrustBook } from './trust-book.ts';

export interface Site {
  /** Absolute real path of the folder that is worked in. */
  readonly workspace: string;
  readonly environment: Environment;
  /** What an agent sets is not the user's word. */
  readonly asker: 'user' | 'agent';
  /** What the user has agreed to let run. */
  readonly trust: TrustBook;
  now(): Date;
}

export type Environment = { readonly [name: string]: string | undefined };
