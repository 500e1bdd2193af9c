/** A command of the command line, called inside this process: a tool does just what the command does, and says the same. */
import { Command, CommanderError } from 'commander';
import type { JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { COMMANDS } from '../commands.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';

export interface CommandCall {
  readonly name: string;
  /** Of a command with sub-commands. */
  readonly sub?: string;
  readonly options?: { readonly [name: string]: string | readonly string[] | boolean | undefined };
  readonly words?: readonly string[];
}

/** Results and talk. */
export interface Printed {
  readonly out: string;
  readonly err: string;
}

/** What it printed, or what was wrong. */
export async function callCommand(context: CliContext, call: CommandCall): Promise<Result<Printed, string>> {
  const entry = COMMANDS[call.name];
  if (entry === undefined) throw new Error(`there is no command \`${call.name}\``);
  const { captured, printed } = capture(context);
  const command = new Command(call.name).exitOverride().configureOutput({
    writeOut: (text) => captured.out(text),
    writeErr: (text) => captured.err(text),
  });
  (await entry.load()).define(command, captured);
  try {
    await command.parseAsync(argvOf(call), { from: 'user' });
  } catch (cause) {
    if (!(cause instanceof CommanderError) || printed.err === '') throw cause;
    return error(sentence(printed.err));
  }
  return captured.exitCode === EXIT.done ? ok(printed) : error(sentence(printed.err));
}

/** Of a command that prints JSON. */
export async function callForJson(
  context: CliContext,
  call: CommandCall,
): Promise<Result<JsonValue, string>> {
  const called = await callCommand(context, { ...call, options: { ...call.options, json: true } });
  return called.type === 'ok' ? ok(JSON.parse(called.value.out) as JsonValue) : called;
}

/** A context that keeps what is said. */
export function capture(context: CliContext): {
  readonly captured: CliContext;
  readonly printed: { out: string; err: string };
} {
  const printed = { out: '', err: '' };
  const err = (text: string): void => {
    printed.err += text;
  };
  const captured: CliContext = {
    workspace: context.workspace,
    dist: context.dist,
    color: { stdout: false, stderr: false },
    out: (text) => {
      printed.out += text;
    },
    err,
    screen: err,
    isAgent: true,
    exitCode: EXIT.done,
  };
  return { captured, printed };
}

/** `error: a\nhelp: b\n` → `a; b` */
export function sentence(said: string): string {
  return said
    .split('\n')
    .map((line) => line.replace(/^(?:error|help|note): /, '').trim())
    .filter((line) => line !== '')
    .join('; ');
}

/** Values can never be taken for options. */
function argvOf({ sub, options = {}, words = [] }: CommandCall): readonly string[] {
  const flags = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    if (value === true) return [`--${name}`];
    return (typeof value === 'string' ? [value] : value).map((each) => `--${name}=${each}`);
  });
  return [...(sub === undefined ? [] : [sub]), ...flags, '--', ...words];
}
