/** The text of a role file in `.claude/agents`, without its front matter. */
export function roleText(file: string): string {
  return file.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '').trim();
}
