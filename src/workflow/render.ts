/** Renders texts and commands of a step with the block's variables. */
import type { Failure } from '../model/failure.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { escapeGlob } from '../store/glob-pattern.ts';
import { isInertVariable, mayNameProgram } from '../template/inert.ts';
import { parseVariables } from '../template/parse-variables.ts';
import {
  describeRenderFailure,
  type RenderFailure,
  renderArgument,
  renderTemplate,
  type ValueText,
  valueText,
} from '../template/render.ts';
import { referenceValue, type Scope } from '../template/scope.ts';
import { parseCommand, renderCommand as renderParsed } from '../template/shell/command.ts';
import { isReference, referencesOf, type Template } from '../template/template.ts';
import type { Block } from './block.ts';
import type { Text } from './definition.ts';
import { truncationOf, variablesOf } from './variables.ts';

/** Renders a path or another text. */
export function renderText(block: Block, text: Text): Result<string, Failure> {
  if (!text.includes('$')) return ok(text);
  const template = completeValues(block, text);
  return template.type === 'error' ? template : orFailure(renderArgument(template.value, variablesOf(block)));
}

/** Renders a message for people. A truncated value in it is marked as such: it must not stop a run. */
export function renderMessage(block: Block, text: Text): Result<string, Failure> {
  if (!text.includes('$')) return ok(text);
  const marked: ValueText = (value, reference) =>
    `${valueText(value, reference)}${truncationOf(block, reference.path) !== undefined ? '… (truncated)' : ''}`;
  return orFailure(renderArgument(parseVariables(text).template, variablesOf(block), marked));
}

export function renderTexts(block: Block, texts: readonly Text[]): Result<readonly string[], Failure> {
  return allOf(texts.map((text) => renderText(block, text)));
}

/** Renders a glob. Values in it are literal: `[slug]` in a value is not a character class. */
export function renderGlob(block: Block, glob: Text): Result<string, Failure> {
  if (!glob.includes('$')) return ok(glob);
  const template = completeValues(block, glob);
  if (template.type === 'error') return template;
  const escaped: ValueText = (value, reference) => escapeGlob(valueText(value, reference));
  return orFailure(renderArgument(template.value, variablesOf(block), escaped));
}

export function renderGlobs(block: Block, globs: readonly Text[]): Result<readonly string[], Failure> {
  return allOf(globs.map((glob) => renderGlob(block, glob)));
}

/** Renders the parts of an argument around a value that is inserted later. */
export function renderPieces(pieces: readonly Template[], scope: Scope): Result<readonly string[], Failure> {
  return allOf(pieces.map((piece) => orFailure(renderArgument(piece, scope))));
}

/** Renders all texts, or returns every missing name. */
function allOf(results: readonly Result<string, Failure>[]): Result<readonly string[], Failure> {
  const rendered: string[] = [];
  const missing = new Set<string>();
  for (const one of results) {
    if (one.type === 'ok') rendered.push(one.value);
    else if (one.error.type === 'undefined-variables') for (const name of one.error.names) missing.add(name);
    else return one;
  }
  return missing.size === 0 ? ok(rendered) : error({ type: 'undefined-variables', names: [...missing] });
}

/** Renders every string in JSON data, at any depth. A value that is a single variable keeps its type: a list stays a list. */
export function renderValues(
  block: Block,
  values: { readonly [key: string]: JsonValue },
): Result<{ readonly [key: string]: JsonValue }, Failure> {
  const rendered = renderValue(block, values);
  return rendered as Result<{ readonly [key: string]: JsonValue }, Failure>;
}

export function renderValue(block: Block, value: JsonValue): Result<JsonValue, Failure> {
  const missing = new Set<string>();
  const refused: Failure[] = [];
  const visit = (part: JsonValue): JsonValue => {
    if (Array.isArray(part)) return part.map(visit);
    if (isJsonObject(part)) {
      return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, visit(inner ?? null)]));
    }
    if (typeof part !== 'string' || !part.includes('$')) return part;
    const rendered = renderWhole(block, part);
    if (rendered.type === 'ok') return rendered.value;
    if (rendered.error.type === 'undefined-variables')
      for (const name of rendered.error.names) missing.add(name);
    else refused.push(rendered.error);
    return null;
  };
  const rendered = visit(value);
  const [first] = refused;
  if (first !== undefined) return error(first);
  return missing.size === 0 ? ok(rendered) : error({ type: 'undefined-variables', names: [...missing] });
}

function renderWhole(block: Block, text: Text): Result<JsonValue, Failure> {
  const template = completeValues(block, text);
  if (template.type === 'error') return template;
  const [only, ...others] = template.value;
  if (only === undefined || others.length > 0 || !isReference(only)) return renderText(block, text);
  const value = referenceValue(variablesOf(block), only);
  return value === undefined ? error({ type: 'undefined-variables', names: [only.text] }) : ok(value);
}

/** Renders one side of a comparison: strings as they are, `lines` joined by newlines, JSON values as JSON text. */
export function renderComparable(block: Block, text: Text): Result<string, Failure> {
  if (!text.includes('$')) return ok(text);
  const template = completeValues(block, text);
  return template.type === 'error' ? template : orFailure(renderTemplate(template.value, variablesOf(block)));
}

export function renderCommand(block: Block, argv: readonly Text[]): Result<readonly string[], Failure> {
  const complete = mustBeComplete(block, argv);
  return complete.type === 'error' ? complete : renderArgv(argv, variablesOf(block));
}

/** Rejects truncated values in the arguments of a command. */
export function mustBeComplete(block: Block, argv: readonly Text[]): Result<undefined, Failure> {
  for (const argument of argv) {
    const template = completeValues(block, argument);
    if (template.type === 'error') return template;
  }
  return ok(undefined);
}

/** Parses a text and rejects truncated values in it: half a value is worse than none. */
function completeValues(block: Block, text: Text): Result<Template, Failure> {
  const { template } = parseVariables(text);
  const reasons = referencesOf(template).flatMap(({ path }) => truncationOf(block, path) ?? []);
  return reasons.length === 0 ? ok(template) : error({ type: 'unusable-values', reasons });
}

/** Values can become arguments, never code: the loader has rejected every place where one could. */
export function renderArgv(argv: readonly Text[], scope: Scope): Result<readonly string[], Failure> {
  const parsed = parseCommand(argv, { isInert: isInertVariable, mayNameProgram });
  const refused = parsed.problems[0];
  if (refused !== undefined) return error({ type: 'unusable-values', reasons: [refused.message] });
  return orFailure(renderParsed(parsed, scope));
}

function orFailure<Value>(rendered: Result<Value, RenderFailure>): Result<Value, Failure> {
  if (rendered.type === 'ok') return rendered;
  const { undefinedNames } = rendered.error;
  return undefinedNames.length > 0
    ? error({ type: 'undefined-variables', names: undefinedNames })
    : error({ type: 'unusable-values', reasons: [describeRenderFailure(rendered.error)] });
}
