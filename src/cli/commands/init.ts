import fs from 'node:fs';
import { type Command, Option } from 'commander';
import schema from '../../../schema/workflow.schema.json' with { type: 'json' };
import { describeFailure } from '../../model/describe-failure.ts';
import { atPlace } from '../../store/pin-inside.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { TEMPLATES } from '../init/templates.ts';

const SCHEMA_FILE = 'workflows/workflow.schema.json';

export function define(command: Command, context: CliContext): void {
  const names = Object.entries(TEMPLATES).map(([name, { summary }]) => `${name} (${summary})`);
  command
    .addOption(
      new Option('--template <name>', names.join(', ')).choices(Object.keys(TEMPLATES)).default('basic'),
    )
    .addHelpText('after', '\nExample:\n  orchestrate init --template agents')
    .action((flags: { readonly template: string }) => {
      context.exitCode = init(context, flags.template);
    });
}

function init(context: CliContext, name: string): number {
  const template = TEMPLATES[name];
  if (template === undefined) throw new Error(`there is no template \`${name}\``);
  const files = new Map(Object.entries(template.files));
  const taken = [...files.keys()].filter((path) => fs.existsSync(`${context.workspace}/${path}`));
  if (taken.length > 0) {
    context.err(
      `error: ${taken.map((path) => `\`${path}\``).join(', ')} ${taken.length === 1 ? 'is' : 'are'} there already, and nothing is overwritten\nhelp: run this in another folder, or choose another \`--template\`\n`,
    );
    return EXIT.usage;
  }
  if (!fs.existsSync(`${context.workspace}/${SCHEMA_FILE}`))
    files.set(SCHEMA_FILE, `${JSON.stringify(schema, null, 2)}\n`);
  for (const [path, contents] of files) {
    const problem = writeNew(context.workspace, path, contents);
    if (problem !== undefined) {
      context.err(`error: ${problem}\n`);
      return EXIT.failed;
    }
    context.out(`${path}\n`);
  }
  context.err(`next:\n${template.next.map((line) => `  ${line}\n`).join('')}`);
  return EXIT.done;
}

/** Never over a file that is there; answers what went wrong. */
function writeNew(workspace: string, path: string, contents: string): string | undefined {
  const written = atPlace(workspace, path, {
    ...{ operation: 'write', makeFolders: true },
    use: (file) => fs.writeFileSync(file, contents, { flag: 'wx' }),
  });
  return written.type === 'error' ? describeFailure(written.error) : undefined;
}
