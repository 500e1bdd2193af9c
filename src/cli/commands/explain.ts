import type { Command } from 'commander';
import { momentText } from '../../model/amounts.ts';
import { type Explanation, explainRun, type ReasonType } from '../../operations/runs/explain.ts';
import { type Palette, paletteFor } from '../../report/text/palette.ts';
import { printableLine } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { sayDamage } from '../read-run.ts';
import { refuse } from '../refuse.ts';

export function define(command: Command, context: CliContext): void {
  command
    .argument('<run>', 'run id, unique prefix of one, or `last`')
    .argument('[step]', 'step key, or its name if unique (default: all steps)')
    .option('--json', 'print a JSON array of reasons')
    .addHelpText('after', '\nExample:\n  orchestrate explain last Build')
    .action(async (text: string, step: string | undefined, flags: { readonly json?: boolean }) => {
      const explained = explainRun(await siteWithWorkers(context, text), { run: text, step });
      if (explained.type === 'error') {
        refuse(context, explained.error);
        return;
      }
      const { run, explanations } = explained.value;
      sayDamage(context, run);
      context.out(
        flags.json === true
          ? `${JSON.stringify(explanations, null, 2)}\n`
          : explanations.map((each) => section(each, paletteFor(context.color.stdout))).join('\n'),
      );
    });
}

const MARKS: { readonly [Type in ReasonType]: string } = {
  began: '▶',
  ended: '✓',
  failed: '✗',
  stopped: '■',
  skipped: '○',
  retried: '↻',
  waited: '…',
  repeated: '↻',
  asked: '?',
  answered: '✓',
  decided: '→',
  'from-journal': '=',
  'tried-again': '↻',
};

function section(explanation: Explanation, palette: Palette): string {
  const lines = explanation.reasons.map((reason) => {
    const time = palette.faint(momentText(reason.at));
    return `  ${time}  ${MARKS[reason.type]} ${printableLine(reason.message)}\n`;
  });
  const { key, item } = explanation;
  const name = key === '' ? 'the run' : key;
  return `${palette.strong(item === undefined ? name : `${name} [${item}]`)}\n${lines.join('')}`;
}
