import { join } from 'node:path';
import { detach } from '../../host/carrying/detach.ts';
import { typedCommand } from '../../model/typed-command.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { OutputOptions } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { sayBefore } from './carry-out.ts';

/** Leaves the run to a process of its own. Everything that needs the user has been asked before. */
export async function detachHere(
  context: CliContext,
  prepared: Prepared,
  { quiet, verbose }: OutputOptions,
): Promise<number> {
  sayBefore(context, prepared);
  const { runId } = prepared.plan;
  const detached = await detach(prepared, {
    site: siteOf(context),
    program: [process.execPath, join(context.dist, '..', 'bin', 'orchestrate.js'), 'carry-out'],
    output: { quiet: quiet === true, verbose: verbose === true },
  });
  if (detached.type === 'error') {
    context.err(detached.error.said);
    return detached.error.exitCode;
  }
  context.out(`${runId}\n`);
  if (quiet !== true)
    context.err(
      `running in the background as process ${detached.value.pid}\nfollow it: ${typedCommand(`logs ${runId} -f`)}\ncancel it: ${typedCommand(`cancel ${runId}`)}\n`,
    );
  return EXIT.done;
}
