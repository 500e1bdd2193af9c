import { momentText, numberText } from '../../model/amounts.ts';
import { jsonText } from '../../model/json.ts';
import {
  archiveLoop,
  deleteLoopArchive,
  findLoopArchive,
  listLoopArchives,
  readLoopArchive,
  restoreLoop,
} from '../../operations/loops/archives.ts';
import { printableLine } from '../../report/text/printable.ts';
import { renderTable } from '../../report/text/table.ts';
import { answerOf, type IterateCommand, isSure, shownPath } from './command.ts';

export async function save(
  command: IterateCommand,
  name: string,
  flags: { readonly keep?: boolean },
): Promise<void> {
  const { context, site, settings } = command;
  const saved = await answerOf(command, () => archiveLoop(site, { settings, name, keeps: flags.keep }));
  if (saved !== undefined) context.out(`✓ Archived: ${saved.name}\n  ${shownPath(site, saved.path)}\n`);
}

export async function list(command: IterateCommand, flags: { readonly json?: boolean }): Promise<void> {
  const { context, site, settings } = command;
  const archives = await answerOf(command, () => listLoopArchives(site, { settings }));
  if (archives === undefined) return;
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

export async function restore(
  command: IterateCommand,
  archive: string,
  name: string | undefined,
): Promise<void> {
  const { context, site, settings } = command;
  const restored = await answerOf(command, () => restoreLoop(site, { settings, archive, name }));
  if (restored === undefined) return;
  for (const link of restored.leftOut)
    context.err(`warning: skipped the link \`${link}\`: it leads outside the workspace\n`);
  for (const { name: key, value } of restored.dropped)
    context.err(
      `warning: dropped ${key} = ${jsonText(value)}: an archive must not choose what runs on this machine\n`,
    );
  if (restored.dropped.length > 0)
    context.err(
      `help: set it yourself if you want it: claude-iterate config -w ${restored.name} <key> <value>\n`,
    );
  context.out(`✓ Restored: ${restored.name}\n  ${shownPath(site, restored.folder)}\n`);
}

export async function show(
  command: IterateCommand,
  given: string,
  flags: { readonly json?: boolean },
): Promise<void> {
  const { context, site, settings } = command;
  const archive = await answerOf(command, () => readLoopArchive(site, { settings, archive: given }));
  if (archive === undefined) return;
  if (flags.json === true) {
    context.out(`${JSON.stringify(archive, null, 2)}\n`);
    return;
  }
  const { files, metadata } = archive;
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
  command: IterateCommand,
  given: string,
  flags: { readonly force?: boolean },
): Promise<void> {
  const { context, site, settings } = command;
  const asked = { settings, archive: given };
  const found = await answerOf(command, () => findLoopArchive(site, asked));
  if (found === undefined || !(await isSure(command, flags, `Delete archive ${found.name}?`))) return;
  const deleted = await answerOf(command, () => deleteLoopArchive(site, asked));
  if (deleted !== undefined) context.out(`✓ Archive deleted: ${deleted.name}\n`);
}
