/** Text for an agent that names files and folders: they get the paths of the machine that the agent runs on. */
import type { PlacedPart } from '../../effects/contracts.ts';

export type Words = readonly PlacedPart[];

/** A file or folder of the project. */
export function at(path: string): PlacedPart {
  return { type: 'place', path };
}

/** A template: `` words`Write ${at('notes.md')}.` `` */
export function words(
  texts: readonly string[],
  ...values: readonly (string | number | PlacedPart | Words)[]
): Words {
  return joined(texts.flatMap((text, index) => [{ type: 'text', text }, ...partsOf(values[index] ?? '')]));
}

export function listed(all: readonly Words[], between: string): Words {
  return joined(all.flatMap((each, index) => (index === 0 ? each : [...partsOf(between), ...each])));
}

/** As text of this machine, or for a person. */
export function textOf(all: Words, path: (place: string) => string): string {
  return all.map((part) => (part.type === 'text' ? part.text : path(part.path))).join('');
}

function partsOf(value: string | number | PlacedPart | Words): Words {
  if (typeof value !== 'object') return [{ type: 'text', text: String(value) }];
  return 'type' in value ? [value] : value;
}

/** With no two texts in a row. */
function joined(parts: Words): Words {
  const all: PlacedPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      all[all.length - 1] = { type: 'text', text: last.text + part.text };
    else if (part.type !== 'text' || part.text !== '') all.push(part);
  }
  return all;
}
