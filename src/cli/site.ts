import { modulesOf } from '../host/modules.ts';
import { defined } from '../model/defined.ts';
import type { ModuleLoader, Site } from '../operations/site.ts';
import { createTrustBook, type TrustBook } from '../operations/trust-book.ts';
import type { Workers } from '../operations/workers.ts';
import type { CliContext } from './context.ts';

let modules: ModuleLoader | undefined;
let trust: TrustBook | undefined;

/** What operations know about this process. */
export function siteOf(
  context: Pick<CliContext, 'workspace' | 'dist' | 'importModule'>,
  workers?: Workers,
): Site {
  return {
    workspace: context.workspace,
    ...defined({ workers }),
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
