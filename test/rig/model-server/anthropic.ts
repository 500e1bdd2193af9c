import { pieces, sse, type Turn, USAGE, type Wire, type WireContext } from './script.ts';

/** Anthropic Messages: `POST /v1/messages`. */
export const anthropic: Wire = {
  matches: (method, path) => method === 'POST' && path.startsWith('/v1/messages'),
  isSideRequest: (path, body) =>
    path.includes('count_tokens') || !Array.isArray(body['tools']) || body['tools'].length === 0,
  sideAnswer: (path) => (path.includes('count_tokens') ? JSON.stringify({ input_tokens: 10 }) : undefined),
  error: (turn) =>
    JSON.stringify({
      type: 'error',
      error: {
        type: turn.kind ?? 'api_error',
        message: turn.message ?? `status ${turn.status}`,
        ...turn.extra,
      },
    }),
  events,
};

function events(turn: Turn, context: WireContext): readonly string[] {
  const out = [
    event('message_start', {
      message: {
        id: `msg_${context.number}`,
        type: 'message',
        role: 'assistant',
        model: context.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: USAGE.input,
          output_tokens: 1,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
        },
      },
    }),
  ];
  let index = 0;
  const texts = pieces(turn);
  if (texts.length > 0) {
    out.push(event('content_block_start', { index, content_block: { type: 'text', text: '' } }));
    for (const text of texts)
      out.push(event('content_block_delta', { index, delta: { type: 'text_delta', text } }));
    out.push(event('content_block_stop', { index }));
    index += 1;
  }
  const calls = turn.type === 'tool' ? [turn, ...(turn.and ?? [])] : [];
  for (const [at, call] of calls.entries()) {
    const id = at === 0 ? `toolu_${context.number}` : `toolu_${context.number}_${at + 1}`;
    out.push(
      event('content_block_start', {
        index,
        content_block: { type: 'tool_use', id, name: call.name, input: {} },
      }),
      event('content_block_delta', {
        index,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(call.input) },
      }),
      event('content_block_stop', { index }),
    );
    index += 1;
  }
  out.push(
    event('message_delta', {
      delta: { stop_reason: turn.type === 'tool' ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: USAGE.output },
    }),
    event('message_stop', {}),
  );
  return out;
}

function event(type: string, data: { readonly [key: string]: unknown }): string {
  return sse({ type, ...data }, type);
}
