import { pieces, sse, type Turn, USAGE, type Wire } from './script.ts';

/** Gemini: `POST /v1beta/models/<model>:streamGenerateContent?alt=sse`. */
export const gemini: Wire = {
  matches: (method, path) => method === 'POST' && /\/models\/[^/]+:/.test(path),
  isSideRequest: (path) => !path.includes(':streamGenerateContent'),
  sideAnswer: (path) =>
    path.includes(':countTokens')
      ? JSON.stringify({ totalTokens: 10 })
      : JSON.stringify(chunk([{ text: '{}' }], 'STOP')),
  error: (turn) =>
    JSON.stringify({
      error: {
        code: turn.status,
        message: turn.message ?? `status ${turn.status}`,
        status: turn.kind ?? 'INTERNAL',
        details: [],
        ...turn.extra,
      },
    }),
  events,
};

function events(turn: Turn): readonly string[] {
  const out = pieces(turn).map((text) => sse(chunk([{ text }])));
  if (turn.type === 'tool') {
    out.push(sse(chunk([{ functionCall: { name: turn.name, args: turn.input } }])));
  }
  out.push(sse(chunk([{ text: '' }], 'STOP')));
  return out;
}

function chunk(parts: readonly unknown[], finishReason?: string): unknown {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata: {
      promptTokenCount: USAGE.input,
      candidatesTokenCount: USAGE.output,
      totalTokenCount: USAGE.input + USAGE.output,
    },
    modelVersion: 'gemini-2.5-pro',
  };
}
