import { unreachable } from '../../model/unreachable.ts';
import type { StepCall, StepEnd } from '../block.ts';
import { runApprove } from './approve.ts';
import { runCall } from './call.ts';
import { runProgram } from './call-program.ts';
import { runCommandStep } from './command.ts';
import { runForEach } from './for-each.ts';
import { runGraph } from './graph.ts';
import { runBreak, runEnd } from './leave.ts';
import { runParallel } from './parallel.ts';
import { runProvider } from './provider.ts';
import { runRepeat } from './repeat.ts';
import { runWait } from './wait.ts';

export function runByKind(call: StepCall): Promise<StepEnd> {
  const { step } = call;
  switch (step.type) {
    case 'command':
      return runCommandStep({ ...call, step });
    case 'provider':
      return runProvider({ ...call, step });
    case 'wait':
      return runWait({ ...call, step });
    case 'for-each':
      return runForEach({ ...call, step });
    case 'parallel':
      return runParallel({ ...call, step });
    case 'graph':
      return runGraph({ ...call, step });
    case 'repeat':
      return runRepeat({ ...call, step });
    case 'call':
      return runCall({ ...call, step });
    case 'program':
      return runProgram({ ...call, step });
    case 'approve':
      return runApprove({ ...call, step });
    case 'break':
      return runBreak({ ...call, step });
    case 'end':
      return runEnd({ ...call, step });
    default:
      return unreachable(step);
  }
}
