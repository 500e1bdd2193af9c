import { shellWord } from '../../model/shell-word.ts';
import { typedCommand } from '../../model/typed-command.ts';
import { initWorkspace as init } from '../../operations/conversations/init-workspace.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

export async function initWorkspace(context: CliContext, dir: string, template: string): Promise<number> {
  const made = await init(siteOf(context), { dir, template });
  if (made.type === 'error') return refuse(context, made.error);
  const { files, problem, untrusted } = made.value;
  for (const file of files) context.out(`${file}\n`);
  if (problem !== undefined) return refuse(context, problem);
  if (untrusted !== undefined)
    context.err(`warning: the next run asks whether to trust this setting: ${untrusted}\n`);
  const command = typedCommand(`converse run ${shellWord(dir)}`);
  context.err(`next:\n  ${command} --dry-run   # needs no API key\n  ${command}\n`);
  return EXIT.done;
}
