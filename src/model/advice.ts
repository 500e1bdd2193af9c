/** Advice on what to do next. Operations in it are data: the CLI names a command, MCP names a tool. */

/** An operation that may help, and its target. */
export type Call =
  | { readonly operation: 'list-runs' }
  | { readonly operation: 'start-workflow' }
  | { readonly operation: 'show-run'; readonly run: string }
  | { readonly operation: 'resume-run'; readonly run: string; readonly changes?: 'accepted' | 'ignored' }
  /** `from`: the step; if omitted, the reader chooses. */
  | { readonly operation: 'fork-run'; readonly run: string; readonly from?: string }
  | { readonly operation: 'restart-run'; readonly run: string }
  | { readonly operation: 'follow-run'; readonly run: string }
  | { readonly operation: 'cancel-run'; readonly run: string }
  | { readonly operation: 'check-run'; readonly run: string }
  | { readonly operation: 'cut-run'; readonly run: string }
  | { readonly operation: 'trust' }
  | { readonly operation: 'give-inputs' }
  | { readonly operation: 'list-sessions' }
  | { readonly operation: 'list-tasks' }
  | { readonly operation: 'complete-task'; readonly task: string }
  | { readonly operation: 'change-phase'; readonly change: PhaseChange; readonly phase: string }
  /** Only the command line has it. */
  | { readonly operation: 'use-command'; readonly command: string };

export type PhaseChange = 'start' | 'complete' | 'fail' | 'retry';

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

/** Without the name of the program: `session list`. */
export function command(words: string): Call {
  return { operation: 'use-command', command: words };
}

export function adviceText(given: Advice, how: HowToCall): string {
  if (typeof given === 'string') return given;
  return given.map((part) => (typeof part === 'string' ? part : how(part))).join('');
}
