import type { Call } from '../../model/advice.ts';
import { howToType } from '../../model/how-to-type.ts';

/** How to call an operation: the MCP tool or, if there is none, the command to run in a shell. */
export function howToCall(call: Call): string {
  switch (call.operation) {
    case 'list-runs':
      return '`runs_list`';
    case 'show-run':
      return `\`run_get\` with run \`${call.run}\``;
    case 'start-workflow':
      return '`run_start`';
    case 'resume-run':
      return call.changes === undefined ? `\`run_resume\` with run \`${call.run}\`` : inShell(call);
    case 'follow-run':
      return `\`run_follow\` with run \`${call.run}\``;
    case 'trust':
      return '`--trust` on the command line';
    case 'give-inputs':
      return '`context` of `run_start`';
    case 'list-sessions':
      return '`session_list`';
    case 'list-tasks':
      return '`task_list`';
    case 'complete-task':
      return `\`task_update\` with task \`${call.task}\` and status \`completed\``;
    case 'change-phase':
      return `\`phase_${call.change}\` with phase \`${call.phase}\``;
    default:
      // Partial: the others have no tool.
      return inShell(call);
  }
}

function inShell(call: Call): string {
  return `${howToType(call)} in a shell`;
}
