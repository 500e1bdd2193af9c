import type { ResumeAdvice } from '../../model/resume-advice.ts';
import { shellWord } from '../../model/shell-word.ts';
import { unreachable } from '../../model/unreachable.ts';

/** What to type, or to do first and then type, to continue a failed run. */
export function resumeAdviceText(
  advice: ResumeAdvice,
  run: { readonly runId: string; readonly file: string | undefined },
): string {
  switch (advice.type) {
    case 'resume':
      return `orchestrate resume ${run.runId}`;
    case 'raise':
      return `raise ${advice.limits.join(' and ')} in ${run.file ?? 'the workflow'}, then orchestrate resume ${run.runId} --accept-changes`;
    case 'first': {
      const accepted = advice.changesFile && run.file !== undefined ? ' --accept-changes' : '';
      return `${advice.deeds.join(' and ')}, then orchestrate resume ${run.runId}${accepted}`;
    }
    case 'restart':
      return `fix what failed, then ${run.file === undefined ? 'start a new run' : `orchestrate run ${shellWord(run.file)}`} (resuming would fail in the same way)`;
    case 'command':
      return advice.command;
    default:
      return unreachable(advice);
  }
}
