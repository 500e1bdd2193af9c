/** UTF-8 → text in Node's own way, where it is still there: `toString` with a range takes a tenth of a millisecond to be made ready. */
export function textOf(bytes: Slicing, from: number, to: number): string {
  return bytes.utf8Slice?.(from, to) ?? bytes.toString('utf8', from, to);
}

type Slicing = Buffer & { readonly utf8Slice?: (from: number, to: number) => string };
