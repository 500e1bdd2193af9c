/** A known bug as data: the exact text to replace, which must occur exactly once, and the suites and tests that must find it. */
export interface Mutant {
  readonly name: string;
  /** What the bug does, for the report. */
  readonly title: string;
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
  /** Suites that must find it; `below`: the points to try; `points`: how many of them (default: 200). */
  readonly suites?: readonly { readonly name: string; readonly below?: string; readonly points?: number }[];
  /** Test files that must find it; `title`: part of the titles of the tests to run. */
  readonly tests?: readonly { readonly file: string; readonly title: string }[];
}
