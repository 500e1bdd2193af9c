/** Where a value stands in the text of a JSON document. Asked only when there is something to say about it. */
export interface JsonPlace {
  /** UTF-16 offsets, half open. */
  readonly start: number;
  readonly end: number;
}

export type JsonPath = readonly (string | number)[];

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^,\]}\s]+/y;

/**
 * The value at the path; where there is none, the deepest part of the path that is there. The text has been parsed before: it is JSON.
 * Of a key that stands twice the last counts, as for the parser.
 */
export function locateJson(text: string, path: JsonPath): JsonPlace {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const skipSpace = (): void => void take(SPACE);

  /** Passes over the value that begins here. Where it is on the path, answers the place of what the path leads to. */
  const walk = (rest: JsonPath | undefined): JsonPlace | undefined => {
    skipSpace();
    const start = at;
    const open = text[at];
    let inside: JsonPlace | undefined;
    if (open === '{' || open === '[') inside = walkMembers(open, rest);
    else take(open === '"' ? STRING : SCALAR);
    if (rest === undefined) return undefined;
    return rest.length === 0 ? { start, end: at } : (inside ?? { start, end: at });
  };
  const walkMembers = (open: '{' | '[', rest: JsonPath | undefined): JsonPlace | undefined => {
    const close = open === '{' ? '}' : ']';
    let found: JsonPlace | undefined;
    at += 1;
    for (let index = 0; at < text.length; index += 1) {
      skipSpace();
      if (text[at] === close) break;
      let key: string | number = index;
      if (open === '{') {
        key = JSON.parse(take(STRING)) as string;
        skipSpace();
        at += 1;
      }
      const isNext = rest !== undefined && rest.length > 0 && rest[0] === key;
      const place = walk(isNext ? rest.slice(1) : undefined);
      if (isNext) found = place;
      skipSpace();
      if (text[at] !== ',') break;
      at += 1;
    }
    at += 1;
    return found;
  };
  return walk(path) ?? { start: 0, end: text.length };
}

/** `context.depends_on[0]`; names that are no plain words in brackets and quotes. */
export function jsonPathText(path: JsonPath): string {
  return path
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
}
