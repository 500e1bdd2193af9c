import { defined } from '../../model/defined.ts';
import { keeperOf } from '../../operations/schedules/keeper-of.ts';
import { queueRun } from '../../operations/schedules/run-queue.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';
import { givenContext } from './given-context.ts';
import type { RunFlags } from './run-workflow.ts';

/** `run --queue`: the keeper starts it when it is its turn. */
export async function queueHere(
  context: CliContext,
  file: string,
  flags: RunFlags & { readonly priority?: number },
): Promise<number> {
  const site = siteOf(context);
  const given = givenContext(flags);
  if (given.type === 'error') return refuse(context, given.error);
  const options = {
    ...defined({ onError: flags.onError, maxRetries: flags.maxRetries, retryDelayMs: flags.retryDelay }),
    ...defined({ agent: flags.agent }),
    ...(flags.dryRun === true ? { dryRun: true } : {}),
    ...(flags.cache === false ? { noCache: true } : {}),
  };
  const queued = await withTrust(context, flags, () =>
    queueRun(site, { file, context: given.value, options, ...defined({ priority: flags.priority }) }),
  );
  if (queued === 'not-trusted') return EXIT.usage;
  if (queued.type === 'error') return refuse(context, queued.error);
  context.out(`${queued.value.run_id}\n`);
  if (flags.quiet === true) return EXIT.done;
  const keeper = keeperOf(site);
  context.err(
    keeper === undefined
      ? 'queued; nothing starts it yet: run `orchestrate keep`\n'
      : `queued; process ${keeper} starts it when it is its turn\n`,
  );
  return EXIT.done;
}
