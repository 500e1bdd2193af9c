import { join } from 'node:path';
import { modulesOf } from '../host/modules.ts';
import { defined } from '../model/defined.ts';
import type { CodeProcesses } from '../operations/code-apart.ts';
import type { ModuleLoader, Site } from '../operations/site.ts';
import { createTrustBook, type TrustBook } from '../operations/trust-book.ts';
import type { Workers } from '../operations/workers.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-codes.ts';

type Around = Pick<CliContext, 'workspace' | 'dist' | 'importModule'>;

/** What it has begun to write is written by then. */
const LEAVE_AFTER_MS = 1000;

let modules: ModuleLoader | undefined;
let trust: TrustBook | undefined;

/** What operations know about this process. */
export function siteOf(context: Around, workers?: Workers): Site {
  return siteWith(context, { asker: 'user', ...defined({ workers }) });
}

/** For a process that others depend on: code of the user is loaded in processes of its own. */
export function siteOfServer(
  context: Around,
  { workers, asker = 'user' }: Pick<Site, 'workers'> & Partial<Pick<Site, 'asker'>> = {},
): Site {
  const program = [process.execPath, join(context.dist, '..', 'bin', 'orchestrate.js'), 'load-code'];
  const caller = {
    ...{ workspace: context.workspace, environment: process.env, asker },
    usesWorkers: workers !== undefined,
  };
  let processes: CodeProcesses | undefined;
  const codeProcesses: CodeProcesses = {
    async do(call) {
      const { createCodeProcesses } = await import('../host/code/code-process.ts');
      processes ??= createCodeProcesses(caller, program);
      return processes.do(call);
    },
    close: () => processes?.close(),
  };
  return siteWith(context, { asker, codeProcesses, ...defined({ workers }) });
}

/** Code of the user that is loaded here must not end the process as it likes. */
function guarded(context: Around): ModuleLoader {
  const loader = modulesOf(context);
  let guard: Promise<ModuleLoader> | undefined;
  return {
    async load(asked) {
      guard ??= import('../host/code/guard-process.ts').then(({ guardProcess }) =>
        guardProcess(loader, context.dist, EXIT),
      );
      return (await guard).load(asked);
    },
  };
}

/** Called when the command has ended: code of the user may have left a timer, a server or a connection behind. */
export function leaveCode(): void {
  if (modules !== undefined) setTimeout(() => process.exit(), LEAVE_AFTER_MS).unref();
}

function siteWith(context: Around, given: Pick<Site, 'asker' | 'workers' | 'codeProcesses'>): Site {
  return {
    workspace: context.workspace,
    environment: process.env,
    ...given,
    get trust() {
      trust ??= createTrustBook(process.env);
      return trust;
    },
    get modules() {
      modules ??= guarded(context);
      return modules;
    },
    now: () => new Date(),
  };
}
