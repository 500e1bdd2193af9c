/** What an operation knows about its caller. Operations read nothing from `process`. */
import type { Workflow } from '../code/written/workflow.ts';
import type { ModuleLoader } from '../modules/load-module.ts';
import type { CodeProcesses } from './code-apart.ts';
import type { TrustBook } from './trust-book.ts';
import type { Workers } from './workers.ts';

export type { ImportModule, ModuleLoader } from '../modules/load-module.ts';

export interface Site {
  /** Absolute real path of the workspace. */
  readonly workspace: string;
  readonly environment: Environment;
  /** Settings made by an agent are not trusted as the user's. */
  readonly asker: 'user' | 'agent';
  /** What the user trusts to run. */
  readonly trust: TrustBook;
  /** Loads workflows that are written in TypeScript or JavaScript. */
  readonly modules: ModuleLoader;
  /** Present if code of the user must not run in this process: what has to load some is done there. */
  readonly codeProcesses?: CodeProcesses;
  /** Present if the caller reaches workers: their runs are read, too. */
  readonly workers?: Workers;
  /** Workflows in code that were passed as values, for runs of those. */
  readonly inline?: readonly Workflow[];
  now(): Date;
}

export type Environment = { readonly [name: string]: string | undefined };
