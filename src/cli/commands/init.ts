import { type Command, Option } from 'commander';
import { asTyped } from '../../model/typed-command.ts';
import { initProject } from '../../operations/projects/init-project.ts';
import { TEMPLATES } from '../../operations/projects/templates.ts';
import type { CliContext } from '../context.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

export function define(command: Command, context: CliContext): void {
  const names = Object.entries(TEMPLATES).map(([name, { summary }]) => `${name} (${summary})`);
  command
    .addOption(
      new Option('--template <name>', names.join(', ')).choices(Object.keys(TEMPLATES)).default('basic'),
    )
    .addHelpText('after', '\nExample:\n  orchestrate init --template agents')
    .action((flags: { readonly template: string }) => {
      const made = initProject(siteOf(context), flags.template);
      if (made.type === 'error') {
        refuse(context, made.error);
        return;
      }
      const { files, next } = made.value;
      context.out(files.map((path) => `${path}\n`).join(''));
      context.err(`next:\n${next.map((line) => `  ${asTyped(line)}\n`).join('')}`);
    });
}
