import type { Call } from './advice.ts';
import { unreachable } from './unreachable.ts';

/** How to call an operation from the command line, which has all of them. Other doors name what they have themselves, else this. */
export function howToType(call: Call): string {
  switch (call.operation) {
    case 'trust':
      return '`--trust`';
    case 'give-inputs':
      return "`--input key=value`, `--input '{…}'` or `--input @file.json`";
    default:
      // Partial: the others are commands, not options of the one that was called.
      return `\`orchestrate ${commandFor(call)}\``;
  }
}

function commandFor(call: Exclude<Call, { readonly operation: 'trust' | 'give-inputs' }>): string {
  switch (call.operation) {
    case 'list-runs':
      return 'runs';
    case 'start-workflow':
      return 'run <workflow>';
    case 'show-run':
      return `show ${call.run}`;
    case 'resume-run':
      return `resume ${call.run}${optionFor(call.changes)}`;
    case 'fork-run':
      return `fork ${call.run} --from ${call.from ?? '<step>'}`;
    case 'restart-run':
      return `resume ${call.run} --force-restart`;
    case 'follow-run':
      return `logs ${call.run} -f`;
    case 'cancel-run':
      return `cancel ${call.run}`;
    case 'check-run':
      return `doctor ${call.run}`;
    case 'cut-run':
      return `doctor ${call.run} --cut`;
    case 'list-sessions':
      return 'session list';
    case 'list-tasks':
      return 'task list';
    case 'complete-task':
      return `task update ${call.task} --status completed`;
    case 'change-phase':
      return `phases ${call.change} ${call.phase}`;
    case 'use-command':
      return call.command;
    default:
      return unreachable(call);
  }
}

function optionFor(changes: 'accepted' | 'ignored' | undefined): string {
  if (changes === undefined) return '';
  return changes === 'accepted' ? ' --accept-changes' : ' --as-started';
}
