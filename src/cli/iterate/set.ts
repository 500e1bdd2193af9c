import fs from 'node:fs';
import { setLoop } from '../../operations/loops/set-loop.ts';

import { refuse } from '../refuse.ts';
import { answerOf, type IterateCommand } from './command.ts';

export interface SetFlags {
  readonly maxIterations?: number;
  readonly delay?: number;
  readonly stagnationThreshold?: number;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly budgetCalls?: number;
  readonly budgetMinutes?: number;
  readonly instructions?: string;
}

export async function set(command: IterateCommand, name: string, flags: SetFlags): Promise<void> {
  const { context, site, settings } = command;
  const { maxIterations, delay, stagnationThreshold } = flags;
  let instructions: string | undefined;
  try {
    instructions = flags.instructions === undefined ? undefined : fs.readFileSync(flags.instructions, 'utf8');
  } catch (cause) {
    refuse(context, {
      type: 'cannot-read-file',
      file: flags.instructions ?? '',
      code: (cause as NodeJS.ErrnoException).code ?? 'EIO',
    });
    return;
  }
  const budget = {
    usd: flags.budgetUsd,
    tokens: flags.budgetTokens,
    calls: flags.budgetCalls,
    minutes: flags.budgetMinutes,
  };
  const changes = { maxIterations, delay, stagnationThreshold, budget, instructions };
  const done = await answerOf(command, () => setLoop(site, { settings, name, changes }));
  if (done !== undefined) context.out(`✓ ${name} from its next iteration: ${done.what}\n`);
}
