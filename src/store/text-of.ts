/** Decodes UTF-8 with Node's internal function if available: `toString` with a range takes 0.1 ms to load. */
export function textOf(bytes: Slicing, from: number, to: number): string {
  return bytes.utf8Slice?.(from, to) ?? bytes.toString('utf8', from, to);
}

type Slicing = Buffer & { readonly utf8Slice?: (from: number, to: number) => string };
