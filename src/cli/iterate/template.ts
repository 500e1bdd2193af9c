import { workspaceLayer } from '../../iterate/config/layers.ts';
import { shownSettings } from '../../iterate/config/notify-address.ts';
import { INVALID_NAME, isWorkspaceName } from '../../iterate/workspace/layout.ts';
import { createMetadata } from '../../iterate/workspace/metadata.ts';
import {
  findTemplate,
  listTemplates,
  saveTemplate,
  type Template,
  type TemplateFolder,
} from '../../iterate/workspace/templates.ts';
import { createWorkspace } from '../../iterate/workspace/workspaces.ts';
import { printable } from '../../report/text/printable.ts';
import { renderTable } from '../../report/text/table.ts';
import { removeFolder } from '../../store/remove-folder.ts';
import { confirm } from '../confirm.ts';
import { type IterateSite, openWorkspace, refuse, shownPath, trustSettings } from './site/site.ts';

function foldersOf({ config }: IterateSite): readonly [TemplateFolder, TemplateFolder] {
  return [
    { source: 'project', folder: config.folder('templatesDir') },
    { source: 'global', folder: config.folder('globalTemplatesDir') },
  ];
}

export async function save(
  site: IterateSite,
  workspaceName: string,
  given: string | undefined,
  flags: { readonly global?: boolean },
): Promise<void> {
  const { context } = site;
  const workspace = openWorkspace(site, workspaceName);
  if (workspace === undefined) return;
  const [project, global] = foldersOf(site);
  const name = given ?? workspaceName;
  const saved = saveTemplate(flags.global === true ? global : project, name, {
    folder: workspace.paths.folder,
    metadata: workspace.metadata,
  });
  if (saved.type === 'error') return refuse(context, saved.error);
  context.out(`✓ Template saved: ${name}\n  ${shownPath(context, saved.value)}\n`);
}

export async function use(site: IterateSite, name: string, workspaceName: string): Promise<void> {
  const { context, workspacesDir } = site;
  const template = findTemplate(foldersOf(site), name);
  if (template.type === 'error') return refuse(context, template.error, 'claude-iterate template list');
  if (!isWorkspaceName(workspaceName)) return refuse(context, INVALID_NAME);
  const metadata = createMetadata({ ...template.value.settings, name: workspaceName }, new Date());
  const created = await createWorkspace(workspacesDir, metadata, template.value.files);
  if (created.type === 'error') {
    const broken = created.error.type === 'broken' ? created.error.message : undefined;
    return refuse(context, broken ?? `Workspace already exists: ${workspaceName}`);
  }
  // A template of the user's own is the user's word; one of the project is not.
  const layer = workspaceLayer(metadata, created.value.paths.metadata);
  if (layer.type === 'ok' && isUsersOwn(site, template.value))
    await trustSettings(site, site.config, site.config.with(layer.value));
  context.out(
    `✓ Workspace created from template ${name}: ${workspaceName}\n  ${shownPath(context, created.value.paths.folder)}\n`,
  );
}

function isUsersOwn({ config }: IterateSite, { source }: Template): boolean {
  return source === 'global' && config.setting('globalTemplatesDir').from !== 'project';
}

export function list(site: IterateSite, flags: { readonly json?: boolean }): void {
  const { context } = site;
  const templates = listTemplates(foldersOf(site));
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
  site: IterateSite,
  name: string,
  flags: { readonly json?: boolean },
): Promise<void> {
  const { context } = site;
  const found = findTemplate(foldersOf(site), name);
  if (found.type === 'error') return refuse(context, found.error, 'claude-iterate template list');
  const { settings, files, source, folder, created } = found.value;
  if (flags.json === true) {
    context.out(`${JSON.stringify(shownSettings(found.value), null, 2)}\n`);
    return;
  }
  const rows = [
    ['Template', name],
    ['Source', source],
    ['Path', folder],
    ['Created', created],
    ...Object.entries(shownSettings(settings)).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ];
  context.out(rows.map(([title, value]) => `${`${title}:`.padEnd(22)}${value}\n`).join(''));
  for (const [file, text] of Object.entries(files))
    context.out(`\n${file}\n\n${printable(text).trimEnd()}\n`);
}

export async function remove(
  site: IterateSite,
  name: string,
  flags: { readonly force?: boolean },
): Promise<void> {
  const { context } = site;
  const found = findTemplate(foldersOf(site), name);
  if (found.type === 'error') return refuse(context, found.error, 'claude-iterate template list');
  const agreed = flags.force === true || (await confirm(`Delete template ${name}?`));
  if (agreed === undefined)
    return refuse(context, 'Nothing was removed: nobody can be asked.', 'use --force');
  if (!agreed) {
    context.err('Nothing was removed.\n');
    return;
  }
  removeFolder(found.value.folder);
  context.out(`✓ Template deleted: ${name}\n`);
}
