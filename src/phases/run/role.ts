/** A role file, `.claude/agents/<name>.md`: front matter between two lines of dashes, then the agent's instructions. */
export interface Role {
  readonly text: string;
  /** Absent: the caller of the agent decides. */
  readonly model?: string;
}

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n(?<settings>[\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

export function parseRole(file: string): Role {
  const found = FRONT_MATTER.exec(file);
  const settings = found?.groups?.['settings'] ?? '';
  const text = file.slice(found?.[0].length ?? 0).trim();
  const model = /^model:[ \t]*["']?([\w.:[\]-]+)["']?[ \t]*$/m.exec(settings)?.[1];
  return { text, ...(model === undefined || model === 'inherit' ? {} : { model }) };
}
