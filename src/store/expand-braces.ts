/** So many ways of choosing are no pattern any more. */
export const MAX_ALTERNATIVES = 1000;

/** `{a,b}c` → `ac`, `bc`; nothing when there are more than `MAX_ALTERNATIVES`. */
export function expandBraces(text: string): readonly string[] | undefined {
  const finished: string[] = [];
  const waiting = [text];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const group = firstGroup(next);
    if (group === undefined) {
      finished.push(next);
    } else {
      for (const choice of group.choices)
        waiting.push(next.slice(0, group.start) + choice + next.slice(group.end));
    }
    if (finished.length + waiting.length > MAX_ALTERNATIVES) return undefined;
  }
  return finished;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly choices: readonly string[];
}

/** The first `{…}` with a comma of its own; braces without one are ordinary characters. */
function firstGroup(text: string): Group | undefined {
  for (let start = text.indexOf('{'); start !== -1; start = text.indexOf('{', start + 1)) {
    if (isEscaped(text, start)) continue;
    const choices: string[] = [];
    let depth = 0;
    let choiceStart = start + 1;
    for (let at = start; at < text.length; at += 1) {
      const char = text[at];
      if (char === '\\') at += 1;
      else if (char === '{') depth += 1;
      else if (char === ',' && depth === 1) {
        choices.push(text.slice(choiceStart, at));
        choiceStart = at + 1;
      } else if (char === '}') {
        depth -= 1;
        if (depth > 0) continue;
        if (choices.length === 0) break;
        return { start, end: at + 1, choices: [...choices, text.slice(choiceStart, at)] };
      }
    }
  }
  return undefined;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}
