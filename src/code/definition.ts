import { AGENT_NAMES } from '../model/agent.ts';
import { secretsOfTools } from '../model/agent-tools.ts';
import type { Workflow } from './written/workflow.ts';

/** Environment variables that hold secrets, as far as the file declares them; calls may name more. */
export function secretNamesOf({ secrets = [], agents = {} }: Workflow): readonly string[] {
  const ofTools = Object.values(agents).flatMap(({ tools }) => secretsOfTools(tools));
  return [...new Set([...secrets, ...ofTools])];
}

/**
 * The agent CLIs that a run may start: those declared, and those that the text of its files names. Code may make up a name; if it calls agents
 * and names none, it may be any of them.
 */
export function agentNamesOf({ agents = {} }: Workflow, texts: readonly string[]): readonly string[] {
  const declared = Object.entries(agents).map(([name, { adapter }]) => adapter ?? name);
  const named = AGENT_NAMES.filter((name) =>
    texts.some((text) => new RegExp(`['"\`]${name}['"\`]`).test(text)),
  );
  const found = [...new Set([...declared, ...named])];
  return found.length === 0 && texts.some((text) => /\.agent\s*\(/.test(text)) ? AGENT_NAMES : found;
}
