/**
 * Searches for many byte sequences in one pass whose cost does not grow with their number (after Wu and Manber): a table says
 * for each pair of bytes how far the window can move because no form has the pair there.
 */
export interface FormSearch {
  /** Longest first. */
  readonly forms: readonly Buffer[];
  /** The leftmost match at or after `from`; of those that start at the same byte, the longest. */
  next(bytes: Buffer, from: number): FormMatch | undefined;
  /** The first position at or after `from` from which the remaining bytes are the start of a form. */
  pendingFrom(bytes: Buffer, from: number): number;
}

export interface FormMatch {
  readonly at: number;
  readonly length: number;
}

/** `forms`: longest first, each of two bytes or more. */
export function createFormSearch(forms: readonly Buffer[]): FormSearch {
  const longest = forms[0]?.length ?? 0;
  const window = forms.at(-1)?.length ?? 0;
  const shifts = shiftTable(forms, window);
  const byPair = groupBy(forms, (form) => pairAt(form, window - 2));
  const byFirst = groupBy(forms, (form) => form[0] ?? 0);
  return {
    forms,
    next(bytes, from) {
      for (let last = from + window - 2; last + 1 < bytes.length; ) {
        const pair = pairAt(bytes, last);
        const shift = shifts[pair] ?? 0;
        if (shift > 0) {
          last += shift;
          continue;
        }
        const at = last - window + 2;
        const form = byPair.get(pair)?.find((each) => standsAt(bytes, each, at));
        if (form !== undefined) return { at, length: form.length };
        last += 1;
      }
      return undefined;
    },
    pendingFrom(bytes, from) {
      for (let at = Math.max(from, bytes.length - longest + 1); at < bytes.length; at += 1) {
        const rest = bytes.length - at;
        for (const form of byFirst.get(bytes[at] ?? 0) ?? []) {
          if (rest < form.length && form.compare(bytes, at, bytes.length, 0, rest) === 0) return at;
        }
      }
      return bytes.length;
    },
  };
}

function shiftTable(forms: readonly Buffer[], window: number): Uint16Array {
  const most = Math.min(window - 1, 0xffff);
  const shifts = new Uint16Array(0x10000).fill(most);
  for (const form of forms) {
    for (let at = Math.max(0, window - 1 - most); at + 1 < window; at += 1) {
      const pair = pairAt(form, at);
      shifts[pair] = Math.min(shifts[pair] ?? 0, window - 2 - at);
    }
  }
  return shifts;
}

function pairAt(bytes: Buffer, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

function standsAt(bytes: Buffer, form: Buffer, at: number): boolean {
  return at + form.length <= bytes.length && bytes.compare(form, 0, form.length, at, at + form.length) === 0;
}

function groupBy(forms: readonly Buffer[], keyOf: (form: Buffer) => number): ReadonlyMap<number, Buffer[]> {
  const groups = new Map<number, Buffer[]>();
  for (const form of forms) {
    const group = groups.get(keyOf(form));
    if (group === undefined) groups.set(keyOf(form), [form]);
    else group.push(form);
  }
  return groups;
}
