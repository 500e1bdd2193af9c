import type { Call } from '../../model/advice.ts';
import { unreachable } from '../../model/unreachable.ts';

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
      return call.acceptsChanges === true
        ? `\`orchestrate resume ${call.run} --accept-changes\` in a shell`
        : `\`run_resume\` with run \`${call.run}\``;
    case 'fork-run':
      return `\`orchestrate fork ${call.run} --from <step>\` in a shell`;
    case 'restart-run':
      return `\`orchestrate resume ${call.run} --force-restart\` in a shell`;
    case 'follow-run':
      return `\`run_follow\` with run \`${call.run}\``;
    case 'cancel-run':
      return `\`orchestrate cancel ${call.run}\` in a shell`;
    case 'check-run':
      return `\`orchestrate doctor ${call.run}\` in a shell`;
    case 'cut-run':
      return `\`orchestrate doctor ${call.run} --cut\` in a shell`;
    case 'trust':
      return '`--trust` on the command line';
    default:
      return unreachable(call);
  }
}
