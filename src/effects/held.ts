/**
 * What an effect leaves on the machine that carried it out, by name, and what it needs of an earlier one: conversations of agents, which their
 * command lines keep in files of their own.
 */
import type { Affinity } from '../engine/dbos/affinity.ts';
import { isJsonObject } from '../model/json.ts';

export const HELD: Affinity = {
  needs(effect, input) {
    if (effect !== 'run-agent' || !isJsonObject(input)) return undefined;
    const { session } = input;
    const id = isJsonObject(session) ? session['sessionId'] : undefined;
    return typeof id === 'string' ? id : undefined;
  },
  leaves(effect, output) {
    const { sessionId } = output as { readonly sessionId?: string };
    return effect === 'run-agent' ? sessionId : undefined;
  },
  continuesItself: (effect) => effect === 'run-agent',
};
