/** A model's own count differs by language and kind of text; this one is meant to be above it. */
const BYTES_PER_TOKEN = 3;

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** The beginning of a text that is not above so many tokens, and a mark where it is cut. */
export function cutToTokens(text: string, tokens: number, mark: string): string {
  if (estimateTokens(text) <= tokens) return text;
  const bytes = Math.max(0, tokens * BYTES_PER_TOKEN - Buffer.byteLength(mark));
  const head = new TextDecoder('utf-8').decode(Buffer.from(text).subarray(0, bytes)).replace(/\uFFFD$/, '');
  return `${head}${mark}`;
}
