/** Where a text stops being JSON. Used only after `JSON.parse` has failed, whose message often omits the place. */
export interface JsonError {
  /** UTF-16 offset into the text. */
  readonly offset: number;
  readonly message: string;
}

/** Why `parseJson` rejected a text, and where. */
export function jsonProblem(text: string, cause: unknown): JsonError {
  return cause instanceof RangeError ? { offset: 0, message: cause.message } : locateJsonError(text);
}

const WORD = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const PLAIN = /[^"\\\u0000-\u001f]+/y;
const SPACE = /[ \t\r\n]*/y;

export function locateJsonError(text: string): JsonError {
  const open: ('{' | '[')[] = [];
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found !== null;
  };
  const skipString = (): boolean => {
    const start = at;
    if (!skip(/"/y)) return false;
    while (skip(PLAIN) || skip(ESCAPE));
    if (skip(/"/y)) return true;
    at = start;
    return false;
  };
  const problem = (expected: string): JsonError => ({
    offset: at,
    message: `expected ${expected}, found ${found()}`,
  });
  const found = (): string => {
    const char = text.codePointAt(at);
    return char === undefined ? 'the end of the file' : `\`${printable(String.fromCodePoint(char))}\``;
  };
  const key = (): JsonError | undefined => {
    skip(SPACE);
    if (!skipString()) return problem('a key in double quotes');
    skip(SPACE);
    return skip(/:/y) ? undefined : problem('`:`');
  };

  for (;;) {
    skip(SPACE);
    if (skip(/\{/y)) {
      skip(SPACE);
      if (!skip(/\}/y)) {
        open.push('{');
        const wrong = key();
        if (wrong !== undefined) return wrong;
        continue;
      }
    } else if (skip(/\[/y)) {
      skip(SPACE);
      if (!skip(/\]/y)) {
        open.push('[');
        continue;
      }
    } else if (text[at] === '"') {
      if (!skipString())
        return { offset: at, message: 'this text has no closing quote or contains an invalid escape' };
    } else if (!skip(WORD) && !skip(NUMBER)) {
      return problem('a value');
    }
    for (;;) {
      skip(SPACE);
      const inside = open.at(-1);
      if (inside === undefined) return problem('the end of the file');
      if (skip(/,/y)) break;
      if (!skip(inside === '{' ? /\}/y : /\]/y)) return problem(inside === '{' ? '`,` or `}`' : '`,` or `]`');
      open.pop();
    }
    const wrong = open.at(-1) === '{' ? key() : undefined;
    if (wrong !== undefined) return wrong;
  }
}

function printable(char: string): string {
  return /[\u0000-\u001f\u007f]/.test(char) ? JSON.stringify(char).slice(1, -1) : char;
}
