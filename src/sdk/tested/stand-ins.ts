/** What stands in for agents, commands, people and time when a workflow is tested. */
import type { RunAgentInput, RunAgentOutput, RunCommandInput } from '../../effects/contracts.ts';
import type { EffectContext } from '../../engine/durable.ts';
import type { HostRehearsal } from '../../host/compose.ts';
import type { Answer } from '../../model/event.ts';
import { exitCodeFor, type Failure, outcomeName } from '../../model/failure.ts';
import { stepNameIn } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import type { WorkOutput } from '../../model/record.ts';
import { sha256 } from '../../model/sha256.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { CommandAnswer, TestOptions } from '../testing-types.ts';
import { checkedAnswer, checkedCommand } from './given-stand-ins.ts';

/** As much of a text output as a run records. */
const TEXT_LENGTH = 8192;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface StandIns extends HostRehearsal {
  /** Calls that nothing stands in for, as sentences. */
  readonly missing: ReadonlySet<string>;
}

export function standIns(options: Omit<TestOptions<unknown>, 'input'>, now: string): StandIns {
  const missing = new Set<string>();
  const lacking = (sentence: string): Failure => {
    missing.add(sentence);
    return { type: 'program-error', message: sentence };
  };
  return {
    missing,
    now,
    answer: (key, { choices, default: usual, expiresAt }): Answer | undefined => {
      const choice = named(options.answers, key);
      if (choice !== undefined && choices.includes(choice)) return { type: 'chosen', choice };
      if (choice !== undefined) {
        missing.add(
          `\`answers\` has \`${choice}\` for \`${key}\`, which is not one of its choices: ${choices.join(', ')}`,
        );
        return undefined;
      }
      // Its time is over at once.
      if (expiresAt === undefined) return undefined;
      return usual === undefined ? { type: 'expired' } : { type: 'expired', choice: usual };
    },
    effects: (real) => ({
      'run-command': async (input, context) => {
        const { commands } = options;
        const found = commands === true ? true : named(commands, context.key);
        if (found === true) return real['run-command'](input, context);
        if (found === undefined)
          return failed(lacking(`no result for the command \`${context.key}\`: add it to \`commands\``));
        const given =
          typeof found === 'function' ? await found({ argv: input.argv, key: context.key }) : found;
        const checked = checkedCommand(given, context.key);
        return checked.type === 'ok' ? commandOutput(checked.value, input) : failed(lacking(checked.error));
      },
      'run-agent': async (input, context) => {
        const agent = input.agent.type === 'template' ? input.agent.name : input.agent.adapter;
        const answer = options.agents?.[agent];
        if (answer === undefined)
          return failed(
            lacking(`no answer of the agent \`${agent}\` for \`${context.key}\`: add it to \`agents\``),
          );
        const prompt = promptIn(input);
        const key = mainKey(context.key);
        try {
          const given = await answer({ prompt, key, agent, attempt: roundOf(context) });
          const checked = checkedAnswer(given, agent, key);
          return checked.type === 'ok' ? agentOutput(checked.value) : failed(lacking(checked.error));
        } catch (problem) {
          const message = problem instanceof Error ? problem.message : String(problem);
          return failed({ type: 'agent', outcome: { type: 'crashed', message } });
        }
      },
      'wait-for-files': (input, context) => real['wait-for-files']({ ...input, timeoutMs: 0 }, context),
      // The same in every run, so that results can be compared.
      remember: async ({ value }, { key }) => ({
        value: typeof value === 'string' && UUID.test(value) ? uuidOf(key) : value,
      }),
    }),
  };
}

function named<Value>(
  values: { readonly [name: string]: Value } | undefined,
  key: string,
): Value | undefined {
  if (values === undefined) return undefined;
  const name = [key, stepNameIn(key)].find((each) => Object.hasOwn(values, each));
  return name === undefined ? undefined : values[name];
}

function commandOutput(given: CommandAnswer, { capture, successCodes = [0] }: RunCommandInput): WorkOutput {
  const { exitCode = 0 } = given;
  const output = { capture, ...captured(given, capture) };
  const isFine = successCodes === 'any' || successCodes.includes(exitCode);
  return isFine
    ? { exitCode, outcome: 'done', ...output }
    : { ...failed({ type: 'exit-code', exitCode }), ...output };
}

function captured(given: CommandAnswer, capture: RunCommandInput['capture']): Partial<WorkOutput> {
  const { lines, json } = given;
  const stdout = given.stdout ?? (lines === undefined ? '' : lines.map((line) => `${line}\n`).join(''));
  switch (capture) {
    case 'text':
      return { output: stdout.slice(0, TEXT_LENGTH), truncated: stdout.length > TEXT_LENGTH };
    case 'lines':
      return { lines: lines ?? stdout.split('\n').filter((line) => line !== '') };
    case 'json':
      return { json: json ?? parsed(stdout) };
    default:
      return unreachable(capture);
  }
}

function parsed(text: string): JsonValue {
  return text === '' ? null : JSON.parse(text);
}

function agentOutput(given: JsonValue): RunAgentOutput {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  return {
    ...{ exitCode: 0, outcome: 'done', capture: 'text', answer: text },
    ...{ output: text.slice(0, TEXT_LENGTH), truncated: text.length > TEXT_LENGTH },
    ...(typeof given === 'string' ? {} : { structured: given }),
  };
}

function promptIn({ prompt }: RunAgentInput): string {
  return prompt.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** An agent that is asked again is called at `Ask@ask2`. */
function roundOf({ key, attempt }: EffectContext): number {
  const asked = /@ask(\d+)$/.exec(key)?.[1];
  return asked === undefined ? attempt : Number(asked);
}

/** Without the part that a step adds for calls of its own. */
export function mainKey(key: string): string {
  return key.replace(/@[^/]*$/, '');
}

function failed(failure: Failure): WorkOutput {
  return { exitCode: exitCodeFor(failure), outcome: outcomeName(failure), failure };
}

function uuidOf(key: string): string {
  const hex = sha256(key);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
