import { modulesOf } from '../host/modules.ts';
import type { ModuleLoader, Site } from '../operations/site.ts';
import { createTrustBook, type TrustBook } from '../operations/trust-book.ts';
import type { CliContext } from './context.ts';

let modules: ModuleLoader | undefined;
let trust: TrustBook | undefined;

/** What operations know about this process. */
export function siteOf(context: Pick<CliContext, 'workspace' | 'dist' | 'importModule'>): Site {
  return {
    workspace: context.workspace,
    environment: process.env,
    asker: 'user',
    get trust() {
      trust ??= createTrustBook(process.env);
      return trust;
    },
    get modules() {
      modules ??= modulesOf(context);
      return modules;
    },
    now: () => new Date(),
  };
}
