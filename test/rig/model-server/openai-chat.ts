import { pieces, sse, type Turn, USAGE, type Wire, type WireContext } from './script.ts';

/** OpenAI Chat Completions: `POST …/chat/completions`, which most other CLIs can be pointed at. */
export const openaiChat: Wire = {
  matches: (method, path) => method === 'POST' && path.endsWith('/chat/completions'),
  // Titles of conversations and the like are asked for without tools.
  isSideRequest: (_path, body) => !Array.isArray(body['tools']) || body['tools'].length === 0,
  sideAnswer: (_path, body) =>
    body['stream'] === true
      ? undefined
      : JSON.stringify({
          ...head({ model: 'a-model', number: 0 }),
          object: 'chat.completion',
          choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
          usage: usage(),
        }),
  error: (turn) =>
    JSON.stringify({
      error: {
        message: turn.message ?? `status ${turn.status}`,
        type: turn.kind ?? 'server_error',
        code: turn.code ?? null,
        ...turn.extra,
      },
    }),
  errorHeaders: { 'retry-after-ms': '1' },
  events,
};

function events(turn: Turn, context: WireContext): readonly string[] {
  const out = [chunk(context, { role: 'assistant', content: '' })];
  for (const content of pieces(turn)) out.push(chunk(context, { content }));
  if (turn.type === 'tool') {
    const call = {
      index: 0,
      id: `call_${context.number}`,
      type: 'function',
      function: { name: turn.name, arguments: JSON.stringify(turn.input) },
    };
    out.push(chunk(context, { tool_calls: [call] }));
  }
  out.push(
    chunk(context, {}, turn.type === 'tool' ? 'tool_calls' : 'stop'),
    sse({ ...head(context), choices: [], usage: usage() }),
    'data: [DONE]\n\n',
  );
  return out;
}

function chunk(context: WireContext, delta: object, finishReason: string | null = null): string {
  return sse({ ...head(context), choices: [{ index: 0, delta, finish_reason: finishReason }] });
}

function head({ model, number }: WireContext): object {
  return { id: `chatcmpl-${number}`, object: 'chat.completion.chunk', created: 1_700_000_000, model };
}

function usage(): object {
  return {
    prompt_tokens: USAGE.input,
    completion_tokens: USAGE.output,
    total_tokens: USAGE.input + USAGE.output,
  };
}
