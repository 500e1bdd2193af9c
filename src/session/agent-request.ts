/** One call of an agent for a session. */
import type { AgentChoice, RunAgentInput } from '../effects/contracts.ts';
import { defined } from '../model/defined.ts';
import type { JsonObject } from '../model/json.ts';

/** The agent; the same for all calls of a run. */
export interface AgentOptions {
  readonly agent: AgentChoice;
  readonly permissions?: 'bypass';
  readonly model?: string;
}

export interface AgentQuestion {
  readonly prompt: string;
  /** The schema of the answer. */
  readonly schema: JsonObject;
  /** The text of the project's role file for the agent. */
  readonly role?: string;
  readonly cwd?: string;
  /** The command that repeats the question with all permissions. */
  readonly permit: string;
  /** The conversation to continue. */
  readonly sessionId?: string;
}

/** A custom command gets only a prompt, so what other agents get as options is added to it. */
export function agentRequest(options: AgentOptions, question: AgentQuestion): RunAgentInput {
  const { role, cwd, sessionId, schema, permit } = question;
  const isCommand = options.agent.type === 'template';
  const text = isCommand ? inWords(question) : question.prompt;
  return {
    agent: options.agent,
    prompt: [{ type: 'text', text }],
    jsonSchema: schema,
    capture: 'text',
    permit,
    ...(role === undefined || isCommand ? {} : { systemPrompt: role }),
    ...defined({ model: options.model, permissions: options.permissions, cwd }),
    ...(sessionId === undefined ? {} : { session: { type: 'continue', sessionId } }),
  };
}

function inWords({ prompt, schema, role }: AgentQuestion): string {
  const parts = [
    ...(role === undefined ? [] : [role]),
    prompt.trimEnd(),
    `Print one JSON object and nothing else. It must match this JSON Schema:\n\n${JSON.stringify(schema, null, 2)}`,
  ];
  return `${parts.join('\n\n---\n\n')}\n`;
}
