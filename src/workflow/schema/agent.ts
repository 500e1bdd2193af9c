/** How an agent is called: keys that a step and `defaults` have in common. */
import * as v from 'valibot';
import { amount, oneOf, text, wholeNumber } from './scalars.ts';
import { toolEntries } from './tools.ts';

export const agentEntries = {
  system_prompt: v.optional(text('Added to the system prompt of the agent.')),
  permissions: v.optional(
    oneOf(
      ['default', 'bypass'],
      '`bypass` runs the agent unattended, without asking for permission to use tools.',
    ),
  ),
  max_turns: v.optional(wholeNumber('The maximum number of turns of the agent.', { min: 1 })),
  max_budget_usd: v.optional(amount('The maximum amount the agent may spend, in US dollars.')),
  ...toolEntries,
};
