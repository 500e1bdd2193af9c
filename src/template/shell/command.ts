import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { parseVariables } from '../parse-variables.ts';
import { type RenderFailure, renderArgument, type UnusableValue } from '../render.ts';
import type { Scope } from '../scope.ts';
import {
  isReference,
  literalTemplate,
  type ParsedTemplate,
  type Reference,
  referencesOf,
  type Template,
  type TemplateProblem,
} from '../template.ts';
import { analyseScript, type Place } from './analyse-script.ts';
import { type CommandWord, commandShape, type WordRole } from './command-shape.ts';
import { passBeside } from './pass-beside.ts';
import { steersExecution } from './programs/steering-variables.ts';
import type { Refusal } from './refusal.ts';
import { refusalProblem, type Spelling } from './refusal-problem.ts';
import { type PlacedScript, renderScript } from './render-script.ts';
import { type ScriptInput, scriptInputs } from './script-inputs.ts';

/** One argument of a command: text with unquoted values, or a script with values quoted for their places. Plain JSON. */
export type CommandArgument =
  | { readonly type: 'text'; readonly template: Template }
  | { readonly type: 'script'; readonly template: Template; readonly places: readonly Place[] };

export interface ParsedCommand {
  readonly arguments: readonly CommandArgument[];
  readonly problems: readonly CommandProblem[];
}

/** `start` and `end` are offsets in the argument at index `argument`. */
export interface CommandProblem extends TemplateProblem {
  readonly argument: number;
}

export interface ParseCommandOptions {
  readonly isInert?: (reference: Reference) => boolean;
  /** The spelling of references, if not `${…}`. */
  readonly parse?: (text: string) => ParsedTemplate;
  readonly spelling?: Spelling;
  /** References whose values may choose the program; for all others this is a problem. */
  readonly mayNameProgram?: (reference: Reference) => boolean;
  /** Values are not allowed in a script, even where they could be quoted, but may be its parameters. */
  readonly keepsScripts?: boolean;
}

const BY_ROLE: Readonly<Record<Exclude<WordRole, 'data' | 'program' | 'script'>, Refusal>> = {
  nested: 'nested-script',
  code: 'code',
  steering: 'steering',
  option: 'option',
};

/** Parses an argv with references. A value may be an argument, but never code of a shell or another interpreter. */
export function parseCommand(argv: readonly string[], options: ParseCommandOptions = {}): ParsedCommand {
  const parse = options.parse ?? parseVariables;
  if (options.parse === undefined && !argv.some((argument) => argument.includes('$'))) {
    return {
      arguments: argv.map((text) => ({ type: 'text', template: literalTemplate(text) })),
      problems: [],
    };
  }
  const parsed = argv.map((argument) => parse(argument));
  const shape = commandShape(parsed.map(({ template }) => commandWord(template)));
  const problems: CommandProblem[] = [];
  const add = (argument: number, found: readonly TemplateProblem[]): void => {
    problems.push(...found.map((problem) => ({ ...problem, argument })));
  };
  const judge = (given: Template, role: 'script' | 'nested', index: number): PlacedScript => {
    const { isInert, spelling = 'variables' } = options;
    const inputs = scriptInputs(shape, index, (at) => live(parsed[at]?.template ?? [], options).length > 0);
    const analyse = (template: Template) =>
      analyseScript(template, {
        shell: role === 'nested' ? 'sh' : (shape.shell ?? 'sh'),
        inputs: inputs.map(({ name }) => name),
        spelling,
        ...defined({ isInert }),
      });
    const first = analyse(given);
    const isRewritten = spelling === 'variables' && first.fromVariable.size > 0 && !options.keepsScripts;
    const template = isRewritten ? passBeside(given, first.fromVariable) : given;
    const script = isRewritten ? analyse(template) : first;
    if (!options.keepsScripts) add(index, script.problems);
    for (const { at, name } of inputs) {
      const isReported = shape.roles[at] !== 'data' || !steersExecution(name);
      if (!isReported) add(at, refused(parsed[at]?.template ?? [], 'steering-variable', options));
    }
    for (const [input, { refusal, reason }] of script.refusedInputs) {
      const { at, written } = inputs[input] as ScriptInput;
      const context = { spelling, reason, way: { name: written } } as const;
      const values = live(parsed[at]?.template ?? [], options);
      add(
        at,
        values.map((reference) => refusalProblem(reference, refusal, context)),
      );
    }
    return { template, places: script.places };
  };
  const results = parsed.map(({ template, problems: malformed }, index): CommandArgument => {
    add(index, malformed);
    const role = shape.roles[index] ?? 'data';
    if (role === 'script') {
      if (options.keepsScripts) add(index, refused(template, 'script', options));
      return { type: 'script', ...judge(template, role, index) };
    }
    if (role === 'program') add(index, chosenProgram(template, options));
    else if (role !== 'data') add(index, refused(template, BY_ROLE[role], options));
    return { type: 'text', template };
  });
  const nested = shape.roles.indexOf('nested');
  if (nested !== -1) {
    const words = parsed.filter((_, at) => shape.roles[at] === 'nested').map(({ template }) => template);
    judge(
      literalTemplate(words.map((template) => template.filter(isText).join('')).join(' ')),
      'nested',
      nested,
    );
  }
  return { arguments: results, problems };
}

export function renderCommand(
  command: Pick<ParsedCommand, 'arguments'>,
  scope: Scope,
): Result<string[], RenderFailure> {
  const argv: string[] = [];
  const undefinedNames = new Set<string>();
  const unusable: UnusableValue[] = [];
  for (const argument of command.arguments) {
    const rendered =
      argument.type === 'script' ? renderScript(argument, scope) : renderArgument(argument.template, scope);
    if (rendered.type === 'ok') argv.push(rendered.value);
    else {
      for (const name of rendered.error.undefinedNames) undefinedNames.add(name);
      unusable.push(...rendered.error.unusable);
    }
  }
  if (undefinedNames.size === 0 && unusable.length === 0) return ok(argv);
  return error({ undefinedNames: [...undefinedNames], unusable });
}

/** Finds the arguments that are shell scripts. */
export function shellScripts(argv: readonly string[]): readonly number[] {
  const { roles } = commandShape(argv.map((argument) => commandWord(parseVariables(argument).template)));
  return [...roles.keys()].filter((index) => roles[index] === 'script');
}

/** A word of the argv, as far as it is known at load time. */
function commandWord(template: Template): CommandWord {
  const first = template[0] ?? '';
  const last = template.at(-1) ?? '';
  return {
    literal: template.some(isReference) ? undefined : template.join(''),
    // The folder of a run starts with a dot, so a word that starts with it is not an option.
    prefix: isReference(first) ? (first.text === 'run.root' ? '.' : '') : first,
    suffix: isReference(last) ? '' : last,
  };
}

function refused(
  template: Template,
  refusal: Refusal,
  options: ParseCommandOptions,
): readonly TemplateProblem[] {
  const spelling = options.spelling ?? 'variables';
  return live(template, options).map((reference) => refusalProblem(reference, refusal, { spelling }));
}

function chosenProgram(template: Template, options: ParseCommandOptions): readonly TemplateProblem[] {
  const { mayNameProgram } = options;
  if (mayNameProgram === undefined) return [];
  return refused(
    template.filter((part) => !isReference(part) || !mayNameProgram(part)),
    'command-name',
    options,
  );
}

/** References whose value may be any text. */
function live(template: Template, options: ParseCommandOptions): readonly Reference[] {
  return referencesOf(template).filter((reference) => !options.isInert?.(reference));
}

function isText(part: string | Reference): part is string {
  return !isReference(part);
}
