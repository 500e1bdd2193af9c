import fs from 'node:fs';
import {
  type Archive,
  archiveHolding,
  findArchive,
  listArchives,
  lookIntoArchive,
  restoreArchive,
  saveArchive,
} from '../../iterate/archive/archives.ts';
import { shownSettings } from '../../iterate/config/notify-address.ts';
import { jsonText } from '../../model/json.ts';
import { ok } from '../../model/result.ts';
import { momentText, numberText } from '../../report/text/amounts.ts';
import { printableLine } from '../../report/text/printable.ts';
import { renderTable } from '../../report/text/table.ts';
import { removeFolder } from '../../store/remove-folder.ts';
import { sweepIfThere } from '../../store/temporary-name.ts';
import { confirm } from '../confirm.ts';
import { type IterateSite, openWorkspace, refuse, shownPath } from './site/site.ts';
import { takeWorkspace } from './site/take-workspace.ts';

export async function save(
  site: IterateSite,
  name: string,
  flags: { readonly keep?: boolean },
): Promise<void> {
  const { context, config } = site;
  const archiveDir = config.folder('archiveDir');
  for (const folder of [site.workspacesDir, archiveDir]) sweepIfThere(folder);
  const workspace = openWorkspace(site, name);
  if (workspace === undefined) return;
  const lock = takeWorkspace(site, workspace);
  if (lock === undefined) return;
  try {
    const work = { name, folder: workspace.paths.folder };
    const made = flags.keep === true ? undefined : await archiveHolding(archiveDir, work);
    const saved = made === undefined ? await saveArchive(archiveDir, work, new Date()) : ok(made);
    if (saved.type === 'error') return refuse(context, `The archive could not be made: ${saved.error}`);
    context.out(`✓ Archived: ${saved.value.name}\n  ${shownPath(context, saved.value.path)}\n`);
    if (flags.keep !== true) removeFolder(workspace.paths.folder);
  } finally {
    lock.release();
  }
}

export function list({ context, config }: IterateSite, flags: { readonly json?: boolean }): void {
  const archives = listArchives(config.folder('archiveDir'));
  if (flags.json === true) context.out(`${JSON.stringify(archives, null, 2)}\n`);
  else if (archives.length === 0) context.err('No archives found.\n');
  else {
    const columns = [
      { title: 'NAME' },
      { title: 'WORKSPACE' },
      { title: 'ARCHIVED' },
      { title: 'BYTES', align: 'right' as const },
    ];
    const rows = archives.map((each) => [
      each.name,
      each.workspace,
      momentText(each.archivedAt),
      numberText(each.bytes),
    ]);
    context.out(renderTable(columns, rows));
  }
}

export async function restore(site: IterateSite, given: string, name: string | undefined): Promise<void> {
  const { context, workspacesDir } = site;
  const archive = findOrTell(site, given);
  if (archive === undefined) return;
  const restored = await restoreArchive(archive, workspacesDir, name ?? archive.workspace);
  if (restored.type === 'error') return refuse(context, `The archive was not restored: ${restored.error}`);
  for (const link of restored.value.leftOut)
    context.err(`warning: the link \`${link}\` leads outside and was left out\n`);
  for (const { name: key, value } of restored.value.dropped)
    context.err(`warning: dropped ${key} = ${jsonText(value)}: an archive does not choose what runs here\n`);
  if (restored.value.dropped.length > 0)
    context.err(
      `help: set what you want: claude-iterate config -w ${name ?? archive.workspace} <key> <value>\n`,
    );
  context.out(`✓ Restored: ${name ?? archive.workspace}\n  ${shownPath(context, restored.value.folder)}\n`);
}

export async function show(
  site: IterateSite,
  given: string,
  flags: { readonly json?: boolean },
): Promise<void> {
  const { context } = site;
  const archive = findOrTell(site, given);
  if (archive === undefined) return;
  const contents = await lookIntoArchive(archive);
  if (contents.type === 'error') return refuse(context, `The archive cannot be read: ${contents.error}`);
  const { files, metadata } = contents.value;
  if (flags.json === true) {
    context.out(`${JSON.stringify({ ...archive, ...shownSettings(contents.value) }, null, 2)}\n`);
    return;
  }
  const rows: readonly (readonly [string, string])[] = [
    ['Archive', archive.name],
    ['Workspace', archive.workspace],
    ['Archived', momentText(archive.archivedAt)],
    ['Status', String(metadata?.['status'] ?? 'unknown')],
    ['Iterations', String(metadata?.['executionIterations'] ?? 'unknown')],
    ['Files', String(files.length)],
  ];
  context.out(rows.map(([title, value]) => `${`${title}:`.padEnd(12)}${printableLine(value)}\n`).join(''));
  context.out(
    files.map(({ path, size }) => `  ${printableLine(path)} (${numberText(size)} bytes)\n`).join(''),
  );
}

export async function remove(
  site: IterateSite,
  given: string,
  flags: { readonly force?: boolean },
): Promise<void> {
  const { context } = site;
  const archive = findOrTell(site, given);
  if (archive === undefined) return;
  const agreed = flags.force === true || (await confirm(`Delete archive ${archive.name}?`));
  if (agreed === undefined)
    return refuse(context, 'Nothing was removed: nobody can be asked.', 'use --force');
  if (!agreed) {
    context.err('Nothing was removed.\n');
    return;
  }
  fs.rmSync(archive.path);
  context.out(`✓ Archive deleted: ${archive.name}\n`);
}

function findOrTell({ context, config }: IterateSite, given: string): Archive | undefined {
  return (
    findArchive(config.folder('archiveDir'), given) ??
    refuse(context, `Archive not found: ${given}`, 'claude-iterate archive list')
  );
}
