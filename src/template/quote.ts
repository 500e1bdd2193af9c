const NEEDS_NO_QUOTES = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Quotes any text as one word of a POSIX shell: single quotes around it, a quote inside as `'\''`. */
export function singleQuoted(text: string): string {
  return `'${insideSingleQuotes(text)}'`;
}

export function insideSingleQuotes(text: string): string {
  return text.includes("'") ? text.replaceAll("'", "'\\''") : text;
}

export function insideDoubleQuotes(text: string): string {
  return text.replace(/[\\"$`]/g, '\\$&');
}

/** Quotes a word for display, only if needed. The result can be pasted into a terminal. */
export function quoteWord(text: string): string {
  return NEEDS_NO_QUOTES.test(text) ? text : singleQuoted(text);
}

/** A command as a user would type it. A first word with `=` is quoted, since it would be an assignment. */
export function quoteWords(words: readonly string[]): string {
  return words
    .map((word, index) => (index === 0 && word.includes('=') ? singleQuoted(word) : quoteWord(word)))
    .join(' ');
}
