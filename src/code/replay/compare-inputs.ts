import { wordsOf } from '../../engine/compare-question.ts';
import type { JournalEvent } from '../../model/event.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import { isJsonObject, type JsonValue, jsonText } from '../../model/json.ts';

/** What the journal says that this call asked for, without secrets; undefined if it does not. */
export function recordedInput(events: readonly JournalEvent[], key: StepKey): JsonValue | undefined {
  const started = events.findLast((event) => event.type === 'step-started' && event.key === key);
  if (started?.type === 'step-started') return started.input;
  const asked = events.findLast((event) => event.type === 'question-asked' && event.key === key);
  if (asked?.type === 'question-asked') return wordsOf(asked.question);
  const ended = events.findLast((event) => event.type === 'step-ended' && event.key === key);
  if (ended?.type !== 'step-ended' || ended.effect !== 'remember' || !isJsonObject(ended.output))
    return undefined;
  return { value: ended.output['value'] };
}

/** The item of the innermost `each` around the call, as the journal has it. */
export function recordedItem(events: readonly JournalEvent[], key: StepKey): JsonValue | undefined {
  const parts = key.split('/');
  for (let at = parts.length - 2; at > 0; at -= 1) {
    const note = sideKey(parts.slice(0, at).join('/') as StepKey, 'container');
    const shown = events.findLast((event) => event.type === 'step-ended' && event.key === note);
    const noted =
      shown?.type === 'step-ended' && isJsonObject(shown.output) ? shown.output['note'] : undefined;
    const items = isJsonObject(noted) ? noted['items'] : undefined;
    if (Array.isArray(items)) return items[Number(parts[at])];
  }
  return undefined;
}

/** Lines in the form of a diff: `- prompt: Review a.ts`. */
export function differenceBetween(recorded: JsonValue | undefined, asked: JsonValue): readonly string[] {
  const before = recorded === undefined ? new Map<string, string>() : fieldsOf(recorded);
  const after = fieldsOf(asked);
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name) => {
    const [one, other] = [before.get(name), after.get(name)];
    if (one === other || (recorded === undefined && other === undefined)) return [];
    return [
      ...(one === undefined ? [] : [`- ${name}: ${one}`]),
      ...(other === undefined ? [] : [`+ ${name}: ${other}`]),
    ];
  });
}

const LONGEST = 200;

function fieldsOf(input: JsonValue): ReadonlyMap<string, string> {
  if (!isJsonObject(input)) return new Map([['input', short(jsonText(input))]]);
  return new Map(
    Object.entries(input).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, short(textOf(name, value))]],
    ),
  );
}

/** A prompt that is one text is shown as that, a list of words as a line. */
function textOf(name: string, value: JsonValue): string {
  const [only, ...more] = Array.isArray(value) ? value : [];
  if (name === 'prompt' && more.length === 0 && isJsonObject(only) && typeof only['text'] === 'string')
    return only['text'];
  if (Array.isArray(value) && value.every((word) => typeof word === 'string')) return value.join(' ');
  return jsonText(value);
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
