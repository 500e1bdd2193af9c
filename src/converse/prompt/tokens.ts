/** Estimates tokens. A model's count varies with language and kind of text; this estimate is meant to exceed it. */
const BYTES_PER_TOKEN = 3;

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** The beginning of a text, up to that many tokens, with a truncation mark if there is room for one. */
export function cutToTokens(text: string, tokens: number, mark: string): string {
  if (estimateTokens(text) <= tokens) return text;
  const room = Math.max(0, tokens) * BYTES_PER_TOKEN;
  const kept = Buffer.byteLength(mark) <= room ? mark : '';
  return `${firstBytes(text, room - Buffer.byteLength(kept))}${kept}`;
}

/** Cuts between two characters. */
function firstBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(bytes.length, limit);
  // 10xxxxxx is a continuation byte.
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
