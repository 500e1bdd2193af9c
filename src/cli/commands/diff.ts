import type { Command } from 'commander';
import { readDiffs, type WorkDiff } from '../../operations/runs/read-diffs.ts';
import { type Palette, paletteFor } from '../../report/text/palette.ts';
import { printableLine } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { refuse } from '../refuse.ts';

interface DiffFlags {
  readonly stat?: boolean;
  readonly json?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command
    .argument('[run]', 'run id, unique prefix of one, or `last`', 'last')
    .argument('[step]', 'step, loop, item or branch with `isolate`, or task (default: all)')
    .option('--stat', 'only list the changed files')
    .option('--json', 'print a JSON array with the changed files and the patch of each')
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate diff last Fix\n  orchestrate diff last Fix/3 | git apply',
    )
    .action(async (run: string, step: string | undefined, flags: DiffFlags) => {
      const read = readDiffs(await siteWithWorkers(context, run), { run, step });
      if (read.type === 'error') {
        refuse(context, read.error);
        return;
      }
      if (read.value.length === 0) context.err('no changes\n');
      if (flags.json === true) context.out(`${JSON.stringify(read.value, null, 2)}\n`);
      else if (flags.stat === true) context.out(read.value.map(listed).join('\n'));
      else
        context.out(
          read.value.map((each) => shown(each, paletteFor(context.color.stdout), context)).join(''),
        );
    });
}

function listed({ step, files }: WorkDiff): string {
  const lines = files.map(({ path, change }) => `  ${change.padEnd(8)}  ${printableLine(path)}\n`);
  return `${step}\n${lines.join('')}`;
}

/** Unchanged in a pipe, so that `git apply` can read it. */
function shown({ patch }: WorkDiff, palette: Palette, { color }: CliContext): string {
  if (!color.stdout) return patch;
  const lines = patch.split('\n').map((line) => coloured(printableLine(line), palette));
  return lines.join('\n');
}

function coloured(line: string, palette: Palette): string {
  if (line.startsWith('diff ')) return palette.strong(line);
  if (line.startsWith('+')) return palette.good(line);
  if (line.startsWith('-')) return palette.bad(line);
  return line.startsWith('@@') ? palette.faint(line) : line;
}
