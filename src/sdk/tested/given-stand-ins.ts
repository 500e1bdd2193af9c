/** Mistakes in stand-ins: what is misspelt would stand in for nothing, and the test would prove something else than it says. */
import { describeNotJson, plainJson } from '../../code/run/plain-json.ts';
import type { JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { CommandAnswer, TestOptions } from '../testing-types.ts';

type Keys<Given> = { readonly [Name in keyof Required<Given>]: true };

/** The compiler keeps them complete. */
const OPTIONS: Keys<TestOptions<unknown>> = {
  ...{ input: true, agents: true, commands: true, answers: true, files: true },
};
const COMMAND: Keys<CommandAnswer> = { exitCode: true, stdout: true, lines: true, json: true };

export function checkTestOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new Error('testWorkflow needs options with an `input`: `{ input: {} }`');
  const unknown = unknownKey(options, OPTIONS);
  if (unknown !== undefined) throw new Error(`unknown option of testWorkflow: ${unknown}`);
  const { agents = {} } = options as Partial<TestOptions<unknown>>;
  const wrong = Object.entries(agents).find(([, answer]) => typeof answer !== 'function');
  if (wrong !== undefined)
    throw new Error(`\`agents.${wrong[0]}\` must be a function: \`({ prompt }) => answer\``);
}

/** What a stand-in answered for a command. */
export function checkedCommand(given: unknown, key: string): Result<CommandAnswer, string> {
  if (typeof given !== 'object' || given === null)
    return error(`the result of the command \`${key}\` must be an object, such as \`{ stdout: '' }\``);
  const unknown = unknownKey(given, COMMAND);
  return unknown === undefined
    ? ok(given)
    : error(`the result of the command \`${key}\` has the unknown key ${unknown}`);
}

/** What a stand-in answered for an agent. */
export function checkedAnswer(given: unknown, agent: string, key: string): Result<JsonValue, string> {
  const plain = plainJson(given);
  return plain.type === 'ok'
    ? plain
    : error(`the answer of the agent \`${agent}\` for \`${key}\`: ${describeNotJson(plain.error)}`);
}

function unknownKey(given: object, known: object): string | undefined {
  const valid = Object.keys(known);
  const unknown = Object.keys(given).find((key) => !valid.includes(key));
  return unknown === undefined ? undefined : `\`${unknown}\`; valid: ${valid.join(', ')}`;
}
