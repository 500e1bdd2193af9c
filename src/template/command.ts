import { error, ok, type Result } from '../model/result.ts';
import { parseVariables } from './parse-variables.ts';
import { type RenderFailure, renderArgument, type UnusableValue } from './render.ts';
import type { Scope } from './scope.ts';
import { analyseScript, type Place } from './shell/analyse-script.ts';
import { type CommandWord, commandShape, type WordRole } from './shell/command-shape.ts';
import type { Refusal } from './shell/refusal.ts';
import { refusalProblem, type Spelling } from './shell/refusal-problem.ts';
import { renderScript } from './shell/render-script.ts';
import {
  isReference,
  literalTemplate,
  type ParsedTemplate,
  type Reference,
  referencesOf,
  type Template,
  type TemplateProblem,
} from './template.ts';

/** One argument of a command: text with values as they are, or a script with values quoted for their places. Plain JSON. */
export type CommandArgument =
  | { readonly type: 'text'; readonly template: Template }
  | { readonly type: 'script'; readonly template: Template; readonly places: readonly Place[] };

export interface ParsedCommand {
  readonly arguments: readonly CommandArgument[];
  readonly problems: readonly CommandProblem[];
}

/** `start` and `end` count in the argument at `argument`. */
export interface CommandProblem extends TemplateProblem {
  readonly argument: number;
}

export interface ParseCommandOptions {
  readonly isInert?: (reference: Reference) => boolean;
  /** Another spelling of references than `${…}`. */
  readonly parse?: (text: string) => ParsedTemplate;
  readonly spelling?: Spelling;
}

const BY_ROLE: Readonly<Record<Exclude<WordRole, 'data' | 'program' | 'script'>, Refusal>> = {
  code: 'code',
  steering: 'steering',
  option: 'option',
};

/** Reads an argv with references; a value may be an argument, never code of a shell or another interpreter. */
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
  const results = parsed.map(({ template, problems: malformed }, index): CommandArgument => {
    const add = (found: readonly TemplateProblem[]): void => {
      problems.push(...found.map((problem) => ({ ...problem, argument: index })));
    };
    add(malformed);
    const role = shape.roles[index] ?? 'data';
    if (role === 'script') {
      const { isInert, spelling } = options;
      const script = analyseScript(template, {
        shell: shape.shell ?? 'sh',
        ...(isInert === undefined ? {} : { isInert }),
        ...(spelling === undefined ? {} : { spelling }),
      });
      add(script.problems);
      return { type: 'script', template, places: script.places };
    }
    if (role !== 'data' && role !== 'program') add(refused(template, BY_ROLE[role], options));
    return { type: 'text', template };
  });
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

/** Which arguments are scripts that a shell will read. */
export function shellScripts(argv: readonly string[]): readonly number[] {
  const { roles } = commandShape(argv.map((argument) => commandWord(parseVariables(argument).template)));
  return [...roles.keys()].filter((index) => roles[index] === 'script');
}

/** A word of the argv as far as it is known while loading. */
function commandWord(template: Template): CommandWord {
  const first = template[0] ?? '';
  const last = template.at(-1) ?? '';
  return {
    literal: template.some(isReference) ? undefined : template.join(''),
    // The folder of a run is a path that begins with a dot, so a word that begins with it is no option.
    prefix: isReference(first) ? (first.text === 'run.root' ? '.' : '') : first,
    suffix: isReference(last) ? '' : last,
  };
}

function refused(
  template: Template,
  refusal: Refusal,
  options: ParseCommandOptions,
): readonly TemplateProblem[] {
  return referencesOf(template)
    .filter((reference) => !options.isInert?.(reference))
    .map((reference) => refusalProblem(reference, refusal, { spelling: options.spelling ?? 'variables' }));
}
