import { isSafeName } from '../../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { ANY_AGENT, type PhasePlan } from '../document.ts';

const MOST_PHASES = 1000;

/** The schema of a planning agent's answer. */
export const PLAN_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    phases: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          title: { type: 'string', description: 'what this phase does, in a few words' },
          agent: { type: 'string', description: 'the name of the agent for this phase, or an empty string' },
        },
        required: ['title', 'agent'],
        additionalProperties: false,
      },
    },
  },
  required: ['phases'],
  additionalProperties: false,
};

/** Reports all problems at once. */
export function parsePlan(value: JsonValue): Result<readonly PhasePlan[], readonly string[]> {
  if (!Array.isArray(value) || value.length === 0) return error(['there must be at least one phase']);
  if (value.length > MOST_PHASES) return error([`there can be at most ${MOST_PHASES} phases`]);
  const problems: string[] = [];
  const plan = (value as readonly JsonValue[]).map((entry, index) => {
    const given: JsonObject = typeof entry === 'string' ? { title: entry } : isJsonObject(entry) ? entry : {};
    const { title, agent = '' } = given;
    if (typeof title !== 'string' || title.trim() === '') problems.push(`phase ${index} has no title`);
    // The name becomes a file name.
    if (typeof agent !== 'string' || (agent !== '' && agent !== ANY_AGENT && !isSafeName(agent)))
      problems.push(
        `the agent of phase ${index} must be \`*\` or consist of letters, digits, \`_\`, \`.\` and \`-\``,
      );
    return { title: String(title).trim(), agent: String(agent) };
  });
  return problems.length === 0 ? ok(plan) : error(problems);
}
