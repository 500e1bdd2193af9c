/** A word as it must be typed into a shell. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./#-]+$/.test(word) && !word.startsWith('#')
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}

/** What to type to answer a question of a run: one command a choice. */
export function approveCommands(runId: string, key: string, choices: readonly string[]): readonly string[] {
  return choices.map(
    (choice) => `orchestrate approve ${runId} ${shellWord(key)} --choose ${shellWord(choice)}`,
  );
}
