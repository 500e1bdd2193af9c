import type { JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import { insideDoubleQuotes, insideSingleQuotes, singleQuoted } from '../quote.ts';
import { type RenderFailure, type UnusableValue, valueText } from '../render.ts';
import { referenceValue, type Scope } from '../scope.ts';
import { isReference, type Reference, type Template } from '../template.ts';
import type { Place } from './cursor.ts';

/** A script and the places of its references: `places` has one entry per reference, as returned by `analyseScript`. */
export interface PlacedScript {
  readonly template: Template;
  readonly places: readonly Place[];
  /** Lists are inserted as several words, not as one text. */
  readonly lists?: boolean;
}

/** Values that are safe in a script without quotes, anywhere. */
const PLAIN = /^[A-Za-z0-9_.:+/-]*$/;

/** No value becomes code: each is quoted for its place, or checked if it cannot be quoted. */
export function renderScript(script: PlacedScript, scope: Scope): Result<string, RenderFailure> {
  const undefinedNames = new Set<string>();
  const unusable = new Map<string, UnusableValue>();
  let text = '';
  let index = 0;
  for (const part of script.template) {
    if (!isReference(part)) {
      text += part;
      continue;
    }
    const place = script.places[index];
    index += 1;
    const value = referenceValue(scope, part);
    if (value === undefined || place === undefined) {
      undefinedNames.add(part.text);
      continue;
    }
    const words = wordsOf(value, part, script.lists ?? false);
    if (words.some((word) => word.includes('\0'))) {
      unusable.set(part.text, { name: part.text, reason: 'nul-byte' });
    } else if (place === 'plain' && !PLAIN.test(words.join(' '))) {
      unusable.set(part.text, { name: part.text, reason: 'not-plain' });
    } else text += quoteFor(place, words);
  }
  if (undefinedNames.size === 0 && unusable.size === 0) return ok(text);
  return error({ undefinedNames: [...undefinedNames], unusable: [...unusable.values()] });
}

function wordsOf(value: JsonValue, reference: Reference, lists: boolean): readonly string[] {
  return lists && Array.isArray(value)
    ? value.map((element) => valueText(element, reference))
    : [valueText(value, reference)];
}

function quoteFor(place: Place, words: readonly string[]): string {
  if (place === 'words') return words.map(singleQuoted).join(' ');
  const text = words.join(' ');
  switch (place) {
    case 'bare':
      return singleQuoted(text);
    case 'single':
      return insideSingleQuotes(text);
    case 'double':
      return insideDoubleQuotes(text);
    case 'plain':
      return text;
    default:
      return unreachable(place);
  }
}
