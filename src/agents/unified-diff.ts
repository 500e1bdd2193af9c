/** Compares two texts in the format of `diff -u`, with three lines around each change. */
export function unifiedDiff(
  before: string,
  after: string,
  names: { readonly before: string; readonly after: string },
): string {
  const steps = compareLines(before.split('\n'), after.split('\n'));
  const out = [`--- ${names.before}`, `+++ ${names.after}`];
  for (const hunk of hunks(steps)) {
    const removed = hunk.filter((step) => step.mark !== '+').length;
    const added = hunk.filter((step) => step.mark !== '-').length;
    const [first] = hunk;
    out.push(`@@ -${(first?.before ?? 0) + 1},${removed} +${(first?.after ?? 0) + 1},${added} @@`);
    for (const step of hunk) out.push(`${step.mark}${step.text}`);
  }
  return out.join('\n');
}

interface Step {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
  /** Number of lines of each side before this one. */
  readonly before: number;
  readonly after: number;
}

/** Above this many pairs of lines, the changed part is shown as removed and added completely. */
const MOST_PAIRS = 4_000_000;
const CONTEXT = 3;

function compareLines(a: readonly string[], b: readonly string[]): readonly Step[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1;
  const pairs = common(a.slice(start, a.length - end), b.slice(start, b.length - end));

  const steps: Step[] = [];
  let i = 0;
  let j = 0;
  const until = (x: number, y: number): void => {
    for (; i < x; i += 1) steps.push({ mark: '-', text: a[i] ?? '', before: i, after: j });
    for (; j < y; j += 1) steps.push({ mark: '+', text: b[j] ?? '', before: i, after: j });
  };
  const same = (x: number, y: number): void => {
    until(x, y);
    steps.push({ mark: ' ', text: a[i] ?? '', before: i, after: j });
    i += 1;
    j += 1;
  };
  for (let k = 0; k < start; k += 1) same(k, k);
  for (const [x, y] of pairs) same(start + x, start + y);
  for (let k = end; k > 0; k -= 1) same(a.length - k, b.length - k);
  until(a.length, b.length);
  return steps;
}

/** The longest sequence of pairs of equal lines. */
function common(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  const width = b.length + 1;
  if (a.length * b.length > MOST_PAIRS) return [];
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] =
        a[i] === b[j]
          ? 1 + (longest[(i + 1) * width + j + 1] ?? 0)
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if ((longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return pairs;
}

function hunks(steps: readonly Step[]): readonly (readonly Step[])[] {
  const shown = new Uint8Array(steps.length);
  for (const [index, step] of steps.entries()) {
    if (step.mark !== ' ') shown.fill(1, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  }
  const found: Step[][] = [];
  for (const [index, step] of steps.entries()) {
    if (shown[index] !== 1) continue;
    if (shown[index - 1] !== 1) found.push([]);
    found.at(-1)?.push(step);
  }
  return found;
}
