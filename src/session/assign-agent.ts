/** Chooses the agent for a task by the words of its title, then by its type. */
const BY_TITLE: readonly (readonly [RegExp, string])[] = [
  [/\b(?:review|audit)(?:s|ed|ing)?\b/i, 'review-agent'],
  [/\b(?:tests?|testing|coverage|verif(?:y|ication))\b/i, 'code-review-test-agent'],
  [/\b(?:plan|planning|design|designing|architecture|research)\b/i, 'planning-agent'],
];

export function assignAgent(title: string, type: string): string {
  if (type === 'test') return 'code-review-test-agent';
  return BY_TITLE.find(([words]) => words.test(title))?.[1] ?? 'code-developer';
}
