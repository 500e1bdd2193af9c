/** Without these characters at its end. An expression such as `/x+$/` looks from every `x` on to the end of them: n² of n. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}
