/** Settings files may have comments and trailing commas, which `JSON.parse` refuses. */
import { endOfJsonString } from '../../model/json.ts';

/** The text with comments and trailing commas replaced by blanks, so that every other character keeps its place. */
export function withoutComments(text: string): string {
  const plain: string[] = [];
  /** The last comma, while only blanks and comments follow it. */
  let comma = -1;
  for (let at = 0; at < text.length; ) {
    const end = partEnd(text, at);
    const part = text.slice(at, end);
    const isComment = part.startsWith('//') || part.startsWith('/*');
    const isSpace = isComment || part.trim() === '';
    if ((part === '}' || part === ']') && comma !== -1) plain[comma] = ' ';
    if (!isSpace) comma = part === ',' ? plain.length : -1;
    plain.push(isComment ? part.replace(/[^\r\n]/g, ' ') : part);
    at = end;
  }
  return plain.join('');
}

/** Where the string, comment or character that starts here ends. */
function partEnd(text: string, at: number): number {
  if (text[at] === '"') return Math.max(at + 1, endOfJsonString(text, at));
  if (text.startsWith('//', at)) {
    const end = text.indexOf('\n', at);
    return end === -1 ? text.length : end;
  }
  if (text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2);
    return end === -1 ? text.length : end + 2;
  }
  return at + 1;
}
