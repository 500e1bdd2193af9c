import { error, ok, type Result } from '../../model/result.ts';

/** Characters with a meaning in a shell, which is not used here. */
const SHELL_ONLY = /^(?:&&?|\|\|?|;|<<?|>>?|\d?>&\d)/;

/**
 * Splits a typed command into words, with quotes and backslashes as in a shell and nothing else. Other shell syntax
 * is refused, so that users do not expect it to work.
 */
export function splitWords(text: string): Result<readonly string[], string> {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  const refuse = (what: string) =>
    error(`\`${what}\` in \`${text}\` needs a shell, but none is used; write \`sh -c '…'\` to use one`);
  while (at < text.length) {
    const char = text.charAt(at);
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
    } else if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) return error(`unclosed quote in \`${text}\``);
      word = (word ?? '') + text.slice(at + 1, end);
      at = end + 1;
    } else if (char === '"') {
      word ??= '';
      for (at += 1; text.charAt(at) !== '"'; at += 1) {
        if (at >= text.length) return error(`unclosed quote in \`${text}\``);
        if (text.charAt(at) === '\\' && /["\\$`]/.test(text.charAt(at + 1))) at += 1;
        else if (/[$`]/.test(text.charAt(at))) return refuse(text.charAt(at));
        word += text.charAt(at);
      }
      at += 1;
    } else if (char === '\\' && at + 1 < text.length) {
      word = (word ?? '') + text.charAt(at + 1);
      at += 2;
    } else {
      const special = SHELL_ONLY.exec(text.slice(at))?.[0];
      if (special !== undefined) return refuse(special);
      if (/[`$]/.test(char)) return refuse(char);
      word = (word ?? '') + char;
      at += 1;
    }
  }
  if (word !== undefined) words.push(word);
  return words.length === 0 ? error('the command is empty') : ok(words);
}
