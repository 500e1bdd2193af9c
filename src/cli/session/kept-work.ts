import { typedCommand } from '../../model/typed-command.ts';

import { discardTask, findKeptWork, mergeTask } from '../../operations/sessions/tasks/kept-work.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';
import { sayChanged } from './say-changed.ts';

interface Common {
  readonly session?: string;
}

export async function taskMerge(context: CliContext, task: string, { session }: Common): Promise<number> {
  const merged = await mergeTask(siteOf(context), { session, task });
  if (merged.type === 'error') return refuse(context, merged.error);
  const { id, files, status } = merged.value;
  sayChanged(context, merged.value);
  const what = files.length === 0 ? 'its work changed no files' : `merged ${files.join(', ')}`;
  const next =
    status === 'completed'
      ? `\`${id}\` is completed`
      : `\`${id}\` is still ${status}. Complete it with: ${typedCommand(`task done ${id}`)}`;
  context.err(`${what}\n${next}\n`);
  return EXIT.done;
}

export async function taskDiscard(
  context: CliContext,
  task: string,
  { session, force }: Common & { readonly force?: boolean },
): Promise<number> {
  const found = await findKeptWork(siteOf(context), { session, task });
  if (found.type === 'error') return refuse(context, found.error);
  if (force !== true) {
    const agreed = await confirm(
      `remove the work of \`${found.value.id}\` (branch \`${found.value.branch}\`)?`,
    );
    if (agreed === undefined) return refuse(context, { type: 'nothing-removed' });
    if (!agreed) {
      context.err('Nothing was removed.\n');
      return EXIT.done;
    }
  }
  const discarded = await discardTask(siteOf(context), { session, task });
  if (discarded.type === 'error') return refuse(context, discarded.error);
  const { id, branch, status } = discarded.value;
  sayChanged(context, discarded.value);
  context.err(`removed branch \`${branch}\`; \`${id}\` is ${status}\n`);
  return EXIT.done;
}
