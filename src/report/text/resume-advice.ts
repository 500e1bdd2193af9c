import type { ResumeAdvice } from '../../model/resume-advice.ts';
import { shellWord } from '../../model/shell-word.ts';
import { asTyped, typedCommand } from '../../model/typed-command.ts';
import { unreachable } from '../../model/unreachable.ts';

/** What to type, or to do first and then type, to continue a failed run. */
export function resumeAdviceText(
  advice: ResumeAdvice,
  run: { readonly runId: string; readonly file: string | undefined },
): string {
  switch (advice.type) {
    case 'resume':
      return typedCommand(`resume ${run.runId}`);
    case 'raise':
      return `raise ${advice.limits.join(' and ')} in ${run.file ?? 'the workflow'}, then ${typedCommand(`resume ${run.runId} --accept-changes`)}`;
    case 'first': {
      const accepted = advice.changesFile && run.file !== undefined ? ' --accept-changes' : '';
      const others = (advice.otherwise ?? []).map((command) => `; or ${asTyped(command)}`);
      return `${advice.deeds.join(' and ')}, then ${typedCommand(`resume ${run.runId}${accepted}`)}${others.join('')}`;
    }
    case 'restart':
      return `fix what failed, then ${run.file === undefined ? 'start a new run' : typedCommand(`run ${shellWord(run.file)}`)} (resuming would fail in the same way)`;
    case 'command':
      return asTyped(advice.command);
    default:
      return unreachable(advice);
  }
}
