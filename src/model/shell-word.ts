/** A word quoted for a shell. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./#-]+$/.test(word) && !word.startsWith('#')
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The commands that answer a question of a run: one per choice. */
export function approveCommands(runId: string, key: string, choices: readonly string[]): readonly string[] {
  return choices.map(
    (choice) => `orchestrate approve ${runId} ${shellWord(key)} --choose ${shellWord(choice)}`,
  );
}
