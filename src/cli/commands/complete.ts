import type { Command } from 'commander';
import { printableLine } from '../../report/text/printable.ts';
import { completionOf } from '../completion/candidates.ts';
import type { CliContext } from '../context.ts';
import { enterIfThere, workspaceHere } from '../enter-workspace.ts';
import { MARKS } from '../marks.ts';

/** Called by the scripts of `completion` with the words typed so far; the last one is being typed. */
export function define(command: Command, context: CliContext): void {
  command
    .argument('[words...]', 'words of the command line, after the name of the program')
    .addHelpText('after', '\nExample:\n  orchestrate complete -- logs la')
    .action(async (words: readonly string[]) => {
      // `-C` among the words has changed nothing yet.
      words.forEach((word, at) => {
        if (words[at - 1] === '-C' && at < words.length - 1) enterIfThere(word);
      });
      context.workspace = workspaceHere(MARKS.all);
      const { type, candidates } = await completionOf(context, words);
      const lines = candidates.map(({ value, description }) =>
        description === undefined ? value : `${value}\t${printableLine(description)}`,
      );
      // A file name may contain a newline: it cannot be passed on.
      context.out(
        [type, ...lines.filter((line) => !line.includes('\n'))].map((line) => `${line}\n`).join(''),
      );
    });
}
