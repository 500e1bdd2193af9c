import { type JsonValue, jsonText } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { referenceValue, type Scope } from './scope.ts';
import { isReference, type Reference, type Template } from './template.ts';

/** Every name that cannot be rendered, not only the first. At least one of the two lists is not empty. */
export interface RenderFailure {
  readonly undefinedNames: readonly string[];
  readonly unusable: readonly UnusableValue[];
}

/** The value exists but cannot be used in this place. */
export interface UnusableValue {
  readonly name: string;
  readonly reason: 'nul-byte' | 'not-plain';
}

/** Turns one value into text. */
export type ValueText = (value: JsonValue, reference: Reference) => string;

/**
 * Strings as they are, other values as compact JSON, with one exception: `steps.<name>.lines` becomes text, with its lines joined by
 * newlines. Other arrays of strings stay JSON, to distinguish one element with a newline from two elements.
 */
export function valueText(value: JsonValue, reference: Reference): string {
  return isLines(reference) && Array.isArray(value) ? value.map(jsonText).join('\n') : jsonText(value);
}

/** Like `valueText`, for readers: lists and objects as JSON on several lines. */
export function readableText(value: JsonValue, reference: Reference): string {
  const isData = typeof value === 'object' && value !== null && !isLines(reference);
  return isData ? JSON.stringify(value, null, 2) : valueText(value, reference);
}

export function renderTemplate(
  template: Template,
  scope: Scope,
  textOf: ValueText = valueText,
): Result<string, RenderFailure> {
  const undefinedNames = new Set<string>();
  let text = '';
  for (const part of template) {
    if (!isReference(part)) {
      text += part;
      continue;
    }
    const value = referenceValue(scope, part);
    if (value === undefined) undefinedNames.add(part.text);
    else text += textOf(value, part);
  }
  return undefinedNames.size === 0 ? ok(text) : error({ undefinedNames: [...undefinedNames], unusable: [] });
}

/** Like `renderTemplate`, for text that the operating system ends at a NUL: arguments, paths, environment. */
export function renderArgument(
  template: Template,
  scope: Scope,
  textOf: ValueText = valueText,
): Result<string, RenderFailure> {
  const rendered = renderTemplate(template, scope, textOf);
  if (rendered.type === 'error' || !rendered.value.includes('\0')) return rendered;
  const names = new Set<string>();
  for (const part of template) {
    if (!isReference(part)) continue;
    const value = referenceValue(scope, part);
    if (value !== undefined && valueText(value, part).includes('\0')) names.add(part.text);
  }
  return error({
    undefinedNames: [],
    unusable: [...names].map((name) => ({ name, reason: 'nul-byte' as const })),
  });
}

export function describeRenderFailure(failure: RenderFailure): string {
  const parts: string[] = [];
  if (failure.undefinedNames.length > 0) {
    parts.push(`no value for ${failure.undefinedNames.map((name) => `\`${name}\``).join(', ')}`);
  }
  for (const { name, reason } of failure.unusable) {
    parts.push(
      reason === 'nul-byte'
        ? `the value of \`${name}\` contains a NUL byte, which is not allowed in arguments and paths`
        : `the value of \`${name}\` is not a plain word, so it cannot be used unquoted in a script`,
    );
  }
  return parts.join('; ');
}

function isLines({ path }: Reference): boolean {
  return path.length === 3 && path[0] === 'steps' && path[2] === 'lines';
}
