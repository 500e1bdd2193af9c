/** The commands in task documents: pre_analysis scripts, implementation commands and acceptance commands. */
import type { Claim } from '../../store/trust.ts';
import { ACCEPTANCE_COMMAND } from '../check/check-flow-control.ts';
import { isToolCall, scriptOf } from '../document/command.ts';
import type { Task } from '../document/task.ts';
import type { SessionPaths } from '../layout.ts';

export function claimsOf(tasks: readonly Task[], paths: SessionPaths): readonly Claim[] {
  return tasks.flatMap((task) => {
    const claim = (what: string, value: string): Claim => ({
      name: `${task.id} ${what}`,
      value,
      file: `${paths.relative}/.task/${task.id}.json`,
    });
    const steps = task.approach.type === 'steps' ? task.approach.steps : [];
    return [
      ...task.preAnalysis.flatMap(({ step, commands }) =>
        commands.flatMap((command, index) =>
          scriptOf(command) === undefined
            ? []
            : [claim(index === 0 ? step : `${step} ${index + 1}`, command)],
        ),
      ),
      ...steps.flatMap(({ step, command }) =>
        command === undefined || isToolCall(command) ? [] : [claim(`implementation ${step}`, command)],
      ),
      ...task.acceptance.flatMap((entry, index) =>
        ACCEPTANCE_COMMAND.test(entry)
          ? [claim(`acceptance ${index + 1}`, entry.replace(ACCEPTANCE_COMMAND, ''))]
          : [],
      ),
    ];
  });
}
