import { pieces, sse, type Turn, USAGE, type Wire, type WireContext } from './script.ts';

/** OpenAI Responses: `POST /v1/responses`. */
export const openai: Wire = {
  matches: (method, path) => method === 'POST' && path.endsWith('/responses'),
  isSideRequest: () => false,
  error: (turn) =>
    JSON.stringify({
      error: {
        message: turn.message ?? `status ${turn.status}`,
        type: turn.kind ?? 'server_error',
        code: turn.code ?? null,
        ...turn.extra,
      },
    }),
  events,
};

function events(turn: Turn, context: WireContext): readonly string[] {
  const id = `resp_${context.number}`;
  const out = [event('response.created', { response: { id, model: context.model } })];
  if (turn.type === 'failed') {
    const { code, message } = turn;
    return [
      ...out,
      event('response.failed', { response: { id, status: 'failed', error: { code, message } } }),
    ];
  }
  const texts = pieces(turn);
  if (texts.length > 0) {
    const item = { id: `msg_${context.number}`, type: 'message', role: 'assistant' };
    out.push(event('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }));
    for (const delta of texts) {
      out.push(
        event('response.output_text.delta', { item_id: item.id, output_index: 0, content_index: 0, delta }),
      );
    }
    const content = [{ type: 'output_text', text: texts.join(''), annotations: [] }];
    out.push(event('response.output_item.done', { output_index: 0, item: { ...item, content } }));
  }
  if (turn.type === 'tool') {
    const call = {
      id: `fc_${context.number}`,
      call_id: `call_${context.number}`,
      name: turn.name,
      ...(turn.namespace !== undefined && { namespace: turn.namespace }),
    };
    const item =
      turn.custom === undefined
        ? { type: 'function_call', ...call, arguments: JSON.stringify(turn.input) }
        : { type: 'custom_tool_call', ...call, input: turn.custom };
    out.push(event('response.output_item.done', { output_index: 1, item }));
  }
  out.push(
    event('response.completed', {
      response: {
        id,
        model: context.model,
        usage: {
          input_tokens: USAGE.input,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: USAGE.output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: USAGE.input + USAGE.output,
        },
      },
    }),
  );
  return out;
}

function event(type: string, data: { readonly [key: string]: unknown }): string {
  return sse({ type, ...data }, type);
}
