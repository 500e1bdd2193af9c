/** One call of an agent for a session. */
import type { AgentChoice, RunAgentInput } from '../effects/contracts.ts';
import type { JsonObject } from '../model/json.ts';

/** Who works, the same for all calls of a run. */
export interface AgentOptions {
  readonly agent: AgentChoice;
  readonly permissions?: 'bypass';
  readonly model?: string;
}

export interface AgentQuestion {
  readonly prompt: string;
  /** Of the answer. */
  readonly schema: JsonObject;
  /** What the project's own file says about who is asked. */
  readonly role?: string;
  readonly cwd?: string;
  /** The conversation to go on with. */
  readonly sessionId?: string;
}

/** A command line of the user's gets nothing but a prompt: what other agents are told by options is told in it. */
export function agentRequest(options: AgentOptions, question: AgentQuestion): RunAgentInput {
  const { role, cwd, sessionId, schema } = question;
  const isCommand = options.agent.type === 'template';
  const text = isCommand ? inWords(question) : question.prompt;
  return {
    agent: options.agent,
    prompt: [{ type: 'text', text }],
    jsonSchema: schema,
    capture: 'text',
    ...(role === undefined || isCommand ? {} : { systemPrompt: role }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.permissions === undefined ? {} : { permissions: options.permissions }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(sessionId === undefined ? {} : { session: { type: 'continue', sessionId } }),
  };
}

function inWords({ prompt, schema, role }: AgentQuestion): string {
  const parts = [
    ...(role === undefined ? [] : [role]),
    prompt.trimEnd(),
    `Print one JSON object and nothing else. It must be of this JSON Schema:\n\n${JSON.stringify(schema, null, 2)}`,
  ];
  return `${parts.join('\n\n---\n\n')}\n`;
}
