/** Mistakes in what a workflow in code declares. An unknown key is one: a misspelt limit would be no limit. */
import type { AgentDeclaration } from '../../code/written/calls.ts';
import type { Workflow, WorkflowSettings } from '../../code/written/workflow.ts';
import { nearest } from '../../model/suggest.ts';

type Keys<Given> = { readonly [Name in keyof Required<Given>]: true };

/** The compiler keeps them complete. */
const SETTINGS: Keys<WorkflowSettings & Pick<Workflow, 'input' | 'output' | 'run'>> = {
  ...{ name: true, description: true, agents: true, budget: true, secrets: true, keep: true, schedule: true },
  ...{ input: true, output: true, run: true },
};
const BUDGET: Keys<NonNullable<WorkflowSettings['budget']>> = { usd: true, tokens: true, minutes: true };
const AGENT: Keys<AgentDeclaration> = {
  ...{
    adapter: true,
    model: true,
    command: true,
    inputMode: true,
    args: true,
    fallback: true,
    timeout: true,
  },
  ...{ script: true, tools: true, ask: true, sandbox: true },
};

export async function settingsProblems(workflow: Workflow): Promise<readonly string[]> {
  const { name, run, agents, budget, keep, schedule } = workflow;
  return [
    ...unknownKeys(workflow, SETTINGS, 'the workflow'),
    ...(typeof name === 'string' && name !== '' ? [] : ['a workflow needs a `name`']),
    ...(typeof run === 'function' ? [] : ['a workflow needs a function `run`']),
    ...(agents === undefined || isObject(agents) ? [] : ['`agents` must be an object']),
    ...Object.entries(Object(agents)).flatMap(([agent, declared]) =>
      isObject(declared)
        ? unknownKeys(declared, AGENT, `agent \`${agent}\``)
        : [`agent \`${agent}\` must be an object, such as \`{ adapter: 'claude' }\``],
    ),
    ...(budget === undefined || isObject(budget) ? [] : ['`budget` must be an object, such as `{ usd: 5 }`']),
    ...Object.entries(isObject(budget) ? budget : {}).flatMap(([what, amount]) =>
      typeof amount === 'number' && amount > 0 ? [] : [`\`budget.${what}\` must be a number above 0`],
    ),
    ...(isObject(budget) ? unknownKeys(budget, BUDGET, '`budget`') : []),
    ...(keep === undefined || keep === 'always' || keep === 'never'
      ? []
      : ["`keep` must be 'always' or 'never'"]),
    ...(schedule === undefined ? [] : await (await import('./code-schedule.ts')).scheduleProblems(workflow)),
  ];
}

function unknownKeys(given: object, known: object, where: string): readonly string[] {
  const valid = Object.keys(known);
  return Object.keys(given)
    .filter((key) => !valid.includes(key))
    .map((key) => {
      const near = nearest(key, valid);
      const help = near === undefined ? `valid keys: ${valid.join(', ')}` : `did you mean \`${near}\`?`;
      return `unknown key \`${key}\` in ${where}; ${help}`;
    });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
