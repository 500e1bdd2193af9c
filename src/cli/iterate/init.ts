import { createLoop } from '../../operations/loops/create-loop.ts';
import { EXIT } from '../exit-codes.ts';
import { answerOf, type IterateCommand, sayTrustProblem, shownPath } from './command.ts';

export interface InitFlags {
  readonly maxIterations?: number;
  readonly delay?: number;
  readonly stagnationThreshold?: number;
  readonly mode?: string;
  readonly notifyUrl?: string;
  readonly notifyEvents?: readonly string[];
  readonly agent?: string;
}

export async function init(command: IterateCommand, name: string, flags: InitFlags): Promise<void> {
  const { context, site, settings } = command;
  const notifyEvents = flags.notifyEvents?.flatMap((each) => each.split(',')).map((each) => each.trim());
  const created = await answerOf(command, () => createLoop(site, { ...flags, settings, name, notifyEvents }));
  if (created === undefined) return;
  sayTrustProblem(command, created.trustProblem);
  context.out(`✓ Workspace created: ${name}\n  ${shownPath(site, created.folder)}\n`);
  context.err(`Next: claude-iterate setup ${name}\n`);
  context.exitCode = EXIT.done;
}
