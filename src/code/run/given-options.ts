/**
 * What JavaScript may give to a call. A name that is unknown or a value that does not fit is a mistake, never ignored: without it, a misspelt
 * `retries` would be no retry. The compiler keeps every table complete.
 */
import { inspect } from 'node:util';
import { nearest } from '../../model/suggest.ts';
import type {
  AgentOptions,
  ApprovalQuestion,
  CommandOptions,
  DoOptions,
  EachOptions,
  Expectation,
  FilesOptions,
  ProcessOptions,
} from '../written/calls.ts';
import type { Scope } from './scope.ts';

interface Kind {
  /** `a text`: what the value must be. */
  readonly what: string;
  fits(value: unknown): boolean;
}

type Table<Given> = { readonly [Name in keyof Required<Given>]: Kind };

const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const TEXT: Kind = { what: 'a text', fits: isText };
export const FUNCTION: Kind = { what: 'a function', fits: (value) => typeof value === 'function' };
export const COUNT: Kind = wholeFrom(0);
export const LIST: Kind = {
  what: 'a list',
  fits: (value) => Object(value)[Symbol.iterator] !== undefined,
};
export const OBJECT: Kind = { what: 'an object', fits: isObject };
export const COMMAND: Kind = {
  what: 'a list of texts, the program first',
  fits: (value) => Array.isArray(value) && value.length > 0 && value.every(isText),
};
const TEXTS: Kind = {
  what: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every(isText),
};
const FLAG: Kind = { what: '`true` or `false`', fits: (value) => typeof value === 'boolean' };
const AMOUNT: Kind = { what: 'a number above 0', fits: (value) => typeof value === 'number' && value > 0 };
export const CHOICES: Kind = {
  what: 'a list of different texts, none of them empty',
  fits: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each) => isText(each) && each !== '') &&
    new Set(value).size === value.length,
};
const VARIABLES: Kind = {
  what: 'an object of texts',
  fits: (value) => isObject(value) && Object.values(value).every(isText),
};
const EXIT_CODES: Kind = {
  what: "a list of numbers, or `'any'`",
  fits: (value) => value === 'any' || (Array.isArray(value) && value.every(Number.isInteger)),
};
const SCHEMA: Kind = {
  what: 'a Standard Schema, or `{schema, jsonSchema}`',
  fits: (value) =>
    hasMember(value, '~standard') ||
    (hasMember(value, 'schema') && hasMember(value.schema, '~standard') && hasMember(value, 'jsonSchema')),
};
/** Checked where it is read. */
const ANY: Kind = { what: 'anything', fits: () => true };

const PROCESS: Table<ProcessOptions> = {
  ...{ cwd: TEXT, env: VARIABLES, secrets: TEXTS, sandbox: ANY },
  ...{ timeout: ANY, idleTimeout: ANY, retries: COUNT, retryDelay: ANY, allowFailure: FLAG },
};
const EXPECTATION: Table<Expectation> = { files: TEXTS, command: COMMAND, reask: COUNT };

export const COMMAND_OPTIONS: Table<CommandOptions> = {
  ...PROCESS,
  ...{ capture: oneOf('text', 'lines', 'json'), stdinFile: TEXT, outputFile: TEXT, successCodes: EXIT_CODES },
};
export const AGENT_OPTIONS: Table<AgentOptions> = {
  ...PROCESS,
  ...{ agent: TEXT, prompt: TEXT, schema: SCHEMA, expect: OBJECT, continue: TEXT, fork: TEXT, model: TEXT },
  ...{ systemPrompt: TEXT, permissions: oneOf('default', 'bypass'), maxTurns: wholeFrom(1) },
  ...{ maxBudgetUsd: AMOUNT, tools: OBJECT, ask: LIST, outputFile: TEXT },
};
export const EACH_OPTIONS: Table<EachOptions> = {
  limit: wholeFrom(1),
  onFailure: oneOf('stop', 'continue'),
};
export const QUESTION: Table<ApprovalQuestion<string>> = {
  ...{ message: TEXT, choices: CHOICES, within: ANY, default: TEXT },
};
export const FILES_OPTIONS: Table<FilesOptions> = { within: ANY, atLeast: COUNT, poll: ANY };
export const DO_OPTIONS: Table<DoOptions> = { retries: COUNT, retryDelay: ANY };

/** `given` may be left out. */
export function checkOptions<Given>(scope: Scope, name: string, given: unknown, table: Table<Given>): void {
  if (given === undefined) return;
  checkValue(scope, `what \`${name}\` is given`, given, OBJECT);
  const kinds: { readonly [option: string]: Kind } = table;
  for (const [option, value] of Object.entries(Object(given))) {
    if (value === undefined) continue;
    const kind = Object.hasOwn(kinds, option) ? kinds[option] : undefined;
    if (kind === undefined) throw scope.mistake(unknownOption(name, option, Object.keys(kinds)));
    checkValue(scope, `\`${option}\` of \`${name}\``, value, kind);
  }
}

export function checkAgentOptions(scope: Scope, name: string, given: AgentOptions | undefined): void {
  checkOptions(scope, name, given ?? {}, AGENT_OPTIONS);
  checkValue(scope, `the prompt of \`${name}\``, given?.prompt, TEXT);
  checkValue(scope, `the agent of \`${name}\``, given?.agent, TEXT);
  checkOptions(scope, name, given?.expect, EXPECTATION);
}

/** `what`: which value it is, for the message. */
export function checkValue(scope: Scope, what: string, value: unknown, kind: Kind): void {
  if (!kind.fits(value)) throw scope.mistake(`${what} must be ${kind.what}, not \`${shortly(value)}\``);
}

function unknownOption(name: string, option: string, known: readonly string[]): string {
  const near = nearest(option, known);
  const help = near === undefined ? `valid options: ${known.join(', ')}` : `did you mean \`${near}\`?`;
  return `\`${name}\` has the unknown option \`${option}\`; ${help}`;
}

function shortly(value: unknown): string {
  const text = typeof value === 'string' ? value : inspect(value, { depth: 1, breakLength: Infinity });
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function wholeFrom(least: number): Kind {
  return {
    what: `a whole number from ${least}`,
    fits: (value) => Number.isInteger(value) && Number(value) >= least,
  };
}

function oneOf(...words: readonly string[]): Kind {
  const list = words.map((word) => `\`'${word}'\``).join(' or ');
  return { what: list, fits: (value) => isText(value) && words.includes(value) };
}

function hasMember<Name extends string>(
  value: unknown,
  name: Name,
): value is { readonly [Key in Name]: unknown } {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && name in value;
}
