import {
  createLoopFromTemplate,
  deleteLoopTemplate,
  listLoopTemplates,
  readLoopTemplate,
  saveLoopTemplate,
} from '../../operations/loops/templates.ts';
import { printable, printableLine } from '../../report/text/printable.ts';
import { renderTable } from '../../report/text/table.ts';
import { answerOf, type IterateCommand, isSure, sayTrustProblem, shownPath } from './command.ts';

export interface SaveFlags {
  readonly global?: boolean;
  readonly description?: string;
  readonly tags?: string;
  readonly estimatedIterations?: number;
  readonly force?: boolean;
}

export async function save(
  command: IterateCommand,
  name: string,
  template: string | undefined,
  flags: SaveFlags,
): Promise<void> {
  const { context, site, settings } = command;
  const saved = await answerOf(command, () =>
    saveLoopTemplate(site, {
      ...{ settings, name, template, isGlobal: flags.global },
      about: {
        description: flags.description,
        tags: flags.tags?.split(',').map((tag) => tag.trim()),
        estimatedIterations: flags.estimatedIterations,
        replaces: flags.force,
      },
    }),
  );
  if (saved !== undefined)
    context.out(`✓ Template saved: ${saved.template}\n  ${shownPath(site, saved.folder)}\n`);
}

export async function use(command: IterateCommand, template: string, name: string): Promise<void> {
  const { context, site, settings } = command;
  const created = await answerOf(command, () => createLoopFromTemplate(site, { settings, template, name }));
  if (created === undefined) return;
  sayTrustProblem(command, created.trustProblem);
  context.out(
    `✓ Workspace created from template ${template}: ${name}\n  ${shownPath(site, created.folder)}\n`,
  );
}

export async function list(command: IterateCommand, flags: { readonly json?: boolean }): Promise<void> {
  const { context, site, settings } = command;
  const templates = await answerOf(command, () => listLoopTemplates(site, { settings }));
  if (templates === undefined) return;
  if (flags.json === true) context.out(`${JSON.stringify(templates, null, 2)}\n`);
  else if (templates.length === 0)
    context.err('No templates found. Save one: claude-iterate template save <workspace>\n');
  else
    context.out(
      renderTable(
        [{ title: 'NAME' }, { title: 'SOURCE' }],
        templates.map(({ name, source }) => [name, source]),
      ),
    );
}

export async function show(
  command: IterateCommand,
  template: string,
  flags: { readonly json?: boolean },
): Promise<void> {
  const { context, site, settings } = command;
  const found = await answerOf(command, () => readLoopTemplate(site, { settings, template }));
  if (found === undefined) return;
  if (flags.json === true) {
    context.out(`${JSON.stringify(found, null, 2)}\n`);
    return;
  }
  const rows = [
    ['Template', template],
    ['Source', found.source],
    ['Path', found.folder],
    ['Created', found.created],
    ['Description', found.description],
    ['Tags', found.tags?.join(', ')],
    ['Iterations', found.estimatedIterations],
    ...Object.entries(found.settings).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ];
  context.out(
    rows
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([title, value]) => `${`${title}:`.padEnd(22)}${printableLine(String(value))}\n`)
      .join(''),
  );
  for (const [file, text] of Object.entries(found.files))
    context.out(`\n${file}\n\n${printable(text).trimEnd()}\n`);
}

export async function remove(
  command: IterateCommand,
  template: string,
  flags: { readonly force?: boolean; readonly global?: boolean },
): Promise<void> {
  const { context, site, settings } = command;
  const asked = { settings, template, isGlobal: flags.global };
  const found = await answerOf(command, () => readLoopTemplate(site, asked));
  if (found === undefined || !(await isSure(command, flags, `Delete template ${template}?`))) return;
  const deleted = await answerOf(command, () => deleteLoopTemplate(site, asked));
  if (deleted !== undefined) context.out(`✓ Template deleted: ${template}\n`);
}
