import { approveCommands } from '../../model/shell-word.ts';

/** The commands that answer a question of an agent: one per choice, or one with any text. */
export function answerCommands(
  runId: string,
  { key, choices }: { readonly key: string; readonly choices: readonly string[] },
): readonly string[] {
  return approveCommands(runId, key, { choices: choices.length === 0 ? ['<your answer>'] : choices });
}
