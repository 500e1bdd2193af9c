/** The text of a step's output in `${…}`: `.output` without its final newlines, as the shell does with `$(…)`; `.lines` joined by newlines. */
export function outputText(text: string, as: 'output' | 'lines'): string {
  return as === 'lines' ? joinedLines(text) : withoutFinalNewlines(text);
}

export function withoutFinalNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end -= 1;
  return text.slice(0, end);
}

function joinedLines(text: string): string {
  const folded = text.replaceAll('\r\n', '\n');
  return folded.endsWith('\n') ? folded.slice(0, -1) : folded;
}
