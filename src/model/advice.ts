/** Advice on what to do next. Operations in it are data: the CLI names a command, MCP names a tool. */

/** An operation that may help, and its target. */
export type Call =
  | { readonly operation: 'list-runs' }
  | { readonly operation: 'start-workflow' }
  | { readonly operation: 'show-run'; readonly run: string }
  | { readonly operation: 'resume-run'; readonly run: string; readonly acceptsChanges?: boolean }
  | { readonly operation: 'fork-run'; readonly run: string }
  | { readonly operation: 'restart-run'; readonly run: string }
  | { readonly operation: 'follow-run'; readonly run: string }
  | { readonly operation: 'cancel-run'; readonly run: string }
  | { readonly operation: 'check-run'; readonly run: string }
  | { readonly operation: 'cut-run'; readonly run: string }
  | { readonly operation: 'trust' };

/** A sentence, or its words and calls in order. */
export type Advice = string | readonly (string | Call)[];

/** Names an operation for the reader: a command, a tool, a button. */
export type HowToCall = (call: Call) => string;

/** Template tag: `advice\`${call} lists all\``. */
export function advice(words: TemplateStringsArray, ...calls: readonly Call[]): readonly (string | Call)[] {
  return words.flatMap((word, index) => {
    const call = calls[index];
    return [...(word === '' ? [] : [word]), ...(call === undefined ? [] : [call])];
  });
}

export function adviceText(given: Advice, how: HowToCall): string {
  if (typeof given === 'string') return given;
  return given.map((part) => (typeof part === 'string' ? part : how(part))).join('');
}
