/** Attributes of a call of an agent, by the conventions of OpenTelemetry for generative AI. */
import { isJsonObject, type JsonObject, jsonText } from '../../model/json.ts';
import type { Spent } from '../../model/record.ts';
import type { Attributes } from './trace.ts';

const PROVIDERS: { readonly [agent: string]: string } = {
  claude: 'anthropic',
  gemini: 'gcp.gemini',
  codex: 'openai',
};

/** `input`: what the effect was given. */
export function agentAttributes(
  input: JsonObject,
  content: boolean,
): { readonly name: string; readonly attributes: Attributes } {
  const agent = isJsonObject(input['agent']) ? input['agent'] : {};
  const named = agent['adapter'] === 'plain' ? agent['name'] : (agent['adapter'] ?? agent['name']);
  const name = typeof named === 'string' ? named : 'agent';
  const model = input['model'];
  return {
    name,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': name,
      'gen_ai.provider.name': PROVIDERS[name] ?? name,
      ...(typeof model === 'string' ? { 'gen_ai.request.model': model } : {}),
      ...(content ? { 'gen_ai.input.messages': messages('user', promptIn(input)) } : {}),
    },
  };
}

export function spentAttributes(spent: Spent | undefined): Attributes {
  if (spent === undefined) return {};
  const { costUsd, usage } = spent;
  return {
    // An unknown cost is not 0.
    ...(costUsd === null ? {} : { 'orchestrate.cost_usd': costUsd }),
    ...(usage === undefined
      ? {}
      : {
          'gen_ai.usage.input_tokens': usage.inputTokens,
          'gen_ai.usage.output_tokens': usage.outputTokens,
        }),
  };
}

/** `output`: what the effect returned. */
export function answerAttributes(output: JsonObject, content: boolean): Attributes {
  const { sessionId, outcome, answer, output: text } = output;
  const said = typeof answer === 'string' ? answer : text;
  return {
    ...(typeof sessionId === 'string' ? { 'gen_ai.conversation.id': sessionId } : {}),
    ...(typeof outcome === 'string' ? { 'orchestrate.step.outcome': outcome } : {}),
    ...(content && typeof said === 'string' ? { 'gen_ai.output.messages': messages('assistant', said) } : {}),
  };
}

function promptIn({ prompt }: JsonObject): string {
  if (!Array.isArray(prompt)) return '';
  return prompt
    .map((part) => (isJsonObject(part) ? jsonText(part['text'] ?? part['path'] ?? '') : ''))
    .join('');
}

function messages(role: string, text: string): string {
  return JSON.stringify([{ role, parts: [{ type: 'text', content: text }] }]);
}
