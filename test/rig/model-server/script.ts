/**
 * What the model of a test answers. Each turn answers one request of the agent's own conversation; side requests of a CLI (titles,
 * quota checks, routing) get a fixed short answer and use up no turn.
 */
export type Turn =
  | { readonly type: 'text'; readonly text: string }
  /** `slow`: the text in pieces, this long apart. */
  | { readonly type: 'slow'; readonly pieces: readonly string[]; readonly everyMs: number }
  | {
      readonly type: 'tool';
      readonly name: string;
      readonly input: { readonly [key: string]: unknown };
      readonly text?: string;
      /** OpenAI's free-form tools take text instead of JSON. */
      readonly custom?: string;
      /** For OpenAI: the group of tools it belongs to. */
      readonly namespace?: string;
      /** For Anthropic: further calls in the same message. */
      readonly and?: readonly {
        readonly name: string;
        readonly input: { readonly [key: string]: unknown };
      }[];
    }
  /** Repeated for all further requests unless `times` limits how often, or `until` how long. */
  | {
      readonly type: 'error';
      readonly status: number;
      readonly headers?: { readonly [name: string]: string };
      readonly kind?: string;
      readonly message?: string;
      /** For OpenAI: the error's own name. */
      readonly code?: string;
      /** Further members of the error: reset times, details. */
      readonly extra?: { readonly [key: string]: unknown };
      readonly times?: number;
      /** Checked at each request, because CLIs retry on their own. */
      until?(): boolean;
    }
  /** OpenAI's answer starts well and ends with an error of this name. */
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  /** Starts its answer, if `text` is given, and never ends it. */
  | { readonly type: 'hang'; readonly text?: string }
  /** Closes the connection in the middle of an answer. */
  | { readonly type: 'cut'; readonly text: string };

export const FILLER: Turn = { type: 'text', text: 'ok' };

export interface ModelUsage {
  readonly input: number;
  readonly output: number;
}

/** The same for every answer, so that expected totals are constant. */
export const USAGE: ModelUsage = { input: 100, output: 20 };

/** One wire format: which requests belong to the conversation, and how a turn is encoded. */
export interface Wire {
  matches(method: string, path: string): boolean;
  isSideRequest(path: string, body: RequestBody): boolean;
  /** Complete server-sent events, in order. For `hang` and `cut`, only the first are sent. */
  events(turn: Turn, context: WireContext): readonly string[];
  error(turn: Extract<Turn, { type: 'error' }>): string;
  /** Sent with every error, so that CLIs that retry on their own do so at once. */
  readonly errorHeaders?: { readonly [name: string]: string };
  /** The answer to a side request, if it is not streamed. */
  sideAnswer?(path: string, body: RequestBody): string | undefined;
}

export type RequestBody = { readonly [key: string]: unknown };

export interface WireContext {
  readonly model: string;
  /** Counts answers, for ids. */
  readonly number: number;
}

export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The text of a turn in the pieces it is sent in. */
export function pieces(turn: Turn): readonly string[] {
  switch (turn.type) {
    case 'text':
    case 'cut':
      return [turn.text];
    case 'slow':
      return turn.pieces;
    case 'tool':
    case 'hang':
      return turn.text === undefined ? [] : [turn.text];
    case 'error':
    case 'failed':
      return [];
  }
}
