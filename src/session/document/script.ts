/**
 * `bash(<script>)` with references `[name]` and `[name.path]` to earlier outputs and task properties. Values are quoted for their
 * position, lists as separate words. An unknown `[word]` is left unchanged, because brackets are shell syntax.
 */
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { isJsonObject, type JsonObject, type JsonValue, jsonText, parseJson } from '../../model/json.ts';
import { error, type Result } from '../../model/result.ts';
import { parseBrackets } from '../../template/parse-brackets.ts';
import { describeRenderFailure } from '../../template/render.ts';
import { lookUp, type Scope } from '../../template/scope.ts';
import { type AnalysedScript, analyseScript } from '../../template/shell/analyse-script.ts';
import { variableProblem } from '../../template/shell/refusal-problem.ts';
import { renderScript } from '../../template/shell/render-script.ts';
import { isReference, type Template, type TemplateProblem } from '../../template/template.ts';
import type { Task } from './task.ts';

/** The names allowed in brackets besides the outputs of earlier steps. */
const PROPERTY_NAMES = [
  'depends_on',
  'focus_paths',
  'parent',
  'inherited',
  'shared_context',
  'requirements',
  'acceptance',
  'target_files',
] as const;

export type Outputs = { readonly [name: string]: string };

function propertiesOf(task: Task): { readonly [name: string]: JsonValue } {
  return {
    depends_on: task.dependsOn,
    focus_paths: task.focusPaths,
    ...defined({ parent: task.parent }),
    ...(task.inherited === undefined ? {} : { inherited: { ...task.inherited } }),
    shared_context: task.sharedContext as JsonValue,
    requirements: task.requirements,
    acceptance: task.acceptance,
    target_files: task.targetFiles,
  };
}

/** Earlier outputs hide properties of the same name. A path into an output reads it as JSON. */
export function scopeOf(task: Task, outputs: Outputs): Scope {
  const properties = propertiesOf(task);
  return (path) => {
    const [root = '', ...rest] = path;
    const output = Object.hasOwn(outputs, root) ? outputs[root] : undefined;
    if (output !== undefined) return rest.length === 0 ? output : lookUp(parsed(output), rest);
    return Object.hasOwn(properties, root) ? lookUp(properties[root], rest) : undefined;
  };
}

/** A reference in a script that cannot be substituted safely. `start` and `end` are offsets in the script. */
export function analyse(script: string, outputNames: readonly string[]): AnalysedScript & Templated {
  const template = parseBrackets(script, new Set([...PROPERTY_NAMES, ...outputNames]));
  const names = new Set([...PROPERTY_NAMES, ...outputNames, ...lastNames(template)]);
  const words = new Set(script.match(/[A-Za-z_][A-Za-z0-9_]*/g));
  const inputs = [...names].filter((name) => mayBeSet(name) && words.has(name) && isVariable(script, name));
  const analysed = analyseScript(template, { shell: 'bash', lists: true, spelling: 'brackets', inputs });
  return { ...analysed, template, problems: [...analysed.problems, ...variableProblems(analysed, inputs)] };
}

/** `[shared_context.x-y]` is in the environment as `x_y`. */
function lastNames(template: Template): readonly string[] {
  return template.flatMap((part) =>
    isReference(part) && part.path.length > 1 ? [environmentName(part.path)] : [],
  );
}

function environmentName(path: readonly string[]): string {
  return (path.at(-1) ?? '').replace(/-/g, '_');
}

/** The same values are in the environment, where a script could evaluate them as code. */
function variableProblems(
  { refusedInputs }: AnalysedScript,
  inputs: readonly string[],
): readonly TemplateProblem[] {
  return [...refusedInputs].map(([index, refused]) => variableProblem(inputs[index] ?? '', refused));
}

/** The name occurs somewhere without brackets. */
function isVariable(script: string, name: string): boolean {
  return new RegExp(`(?<![A-Za-z0-9_[.-])${name}(?![A-Za-z0-9_.-])|\\$\\{?${name}`).test(script);
}

interface Templated {
  readonly template: Template;
}

export function renderBash(script: string, task: Task, outputs: Outputs): Result<string, Failure> {
  const scope = scopeOf(task, outputs);
  const analysed = analyse(script, Object.keys(outputs));
  const [problem] = analysed.problems;
  if (problem !== undefined) return error({ type: 'unusable-values', reasons: [problem.message] });
  const known: (typeof analysed.template)[number][] = [];
  const places: (typeof analysed.places)[number][] = [];
  let index = 0;
  for (const part of analysed.template) {
    if (!isReference(part)) {
      known.push(part);
      continue;
    }
    const place = analysed.places[index];
    index += 1;
    if (place === undefined || scope(part.path) === undefined) known.push(`[${part.text}]`);
    else {
      known.push(part);
      places.push(place);
    }
  }
  const rendered = renderScript({ template: known, places, lists: true }, scope);
  return rendered.type === 'ok'
    ? rendered
    : error({ type: 'unusable-values', reasons: [describeRenderFailure(rendered.error)] });
}

/**
 * The same names for the script's own `${…}`: lists as space-separated words, objects as JSON. A value that is too long for an environment
 * is left out unless the script names it: a program could not be started with it.
 */
export function environmentOf(
  script: string,
  task: Task,
  outputs: Outputs,
): { readonly [name: string]: string } {
  const environment: Record<string, string> = {};
  const add = (name: string, value: JsonValue | undefined): void => {
    if (value === undefined || !mayBeSet(name)) return;
    const text = plainText(value).replaceAll('\0', '');
    if (text.length <= LONGEST || isVariable(script, name)) environment[name] = text;
  };
  const scope = scopeOf(task, outputs);
  for (const part of analyse(script, Object.keys(outputs)).template) {
    if (isReference(part) && part.path.length > 1) add(environmentName(part.path), scope(part.path));
  }
  for (const [name, value] of Object.entries({ ...propertiesOf(task), ...outputs })) add(name, value);
  return environment;
}

/** Characters. The system allows 128 KiB for one variable. */
const LONGEST = 16 * 1024;

/** All-caps names and proxy variables control programs, so task values must not set them. */
export function mayBeSet(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && /[a-z]/.test(name) && !name.endsWith('_proxy');
}

/** Replaces references in text for people and agents; lists are comma-separated. */
export function renderProse(text: string, task: Task, outputs: Outputs): string {
  const scope = scopeOf(task, outputs);
  return parseBrackets(text, new Set([...PROPERTY_NAMES, ...Object.keys(outputs)]))
    .map((part) => {
      if (!isReference(part)) return part;
      const value = scope(part.path);
      if (value === undefined) return `[${part.text}]`;
      return Array.isArray(value) ? value.map(jsonText).join(', ') : jsonText(value);
    })
    .join('');
}

function plainText(value: JsonValue): string {
  return Array.isArray(value) ? value.map(jsonText).join(' ') : jsonText(value);
}

function parsed(text: string): JsonValue | undefined {
  try {
    const value: unknown = parseJson(text);
    return isJsonObject(value) || Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
