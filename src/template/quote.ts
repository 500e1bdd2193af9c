const NEEDS_NO_QUOTES = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** One word of a POSIX shell, whatever the text: single quotes around it, a quote inside as `'\''`. */
export function singleQuoted(text: string): string {
  return `'${insideSingleQuotes(text)}'`;
}

export function insideSingleQuotes(text: string): string {
  return text.includes("'") ? text.replaceAll("'", "'\\''") : text;
}

export function insideDoubleQuotes(text: string): string {
  return text.replace(/[\\"$`]/g, '\\$&');
}

/** For people: quoted only where it must be. The result can be pasted into a terminal. */
export function quoteWord(text: string): string {
  return NEEDS_NO_QUOTES.test(text) ? text : singleQuoted(text);
}

/** A command as a person would type it. A first word with `=` is quoted, as it would be an assignment. */
export function quoteWords(words: readonly string[]): string {
  return words
    .map((word, index) => (index === 0 && word.includes('=') ? singleQuoted(word) : quoteWord(word)))
    .join(' ');
}
