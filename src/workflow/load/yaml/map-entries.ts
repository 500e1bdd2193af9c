/** The keys of a mapping, each once, those that `<<` brings in among them. */
import { isAlias, isScalar, type Node, type Scalar, type YAMLMap } from 'yaml';
import type { Report } from '../report.ts';
import type { AliasExpansion } from './alias-expansion.ts';
import { isMergeKey, keyText, mergedMaps, type Places } from './places.ts';

export interface MapEntry {
  readonly key: string;
  readonly keyNode: Scalar;
  readonly value: Node | null;
}

export interface MapReading {
  readonly places: Places;
  readonly report: Report;
  readonly aliases: AliasExpansion;
}

export function entriesOf(map: YAMLMap, reading: MapReading): readonly MapEntry[] {
  const entries: MapEntry[] = [];
  const seen = new Map<string, Scalar>();
  let mergeKey: Scalar | undefined;
  for (const pair of map.items) {
    const key = keyText(pair.key);
    if (key === undefined || !isScalar(pair.key)) continue;
    const first = seen.get(key);
    if (key === '<<' && isMergeKey(pair.key)) mergeKey ??= pair.key;
    else if (first === undefined) {
      seen.set(key, pair.key);
      entries.push({ key, keyNode: pair.key, value: pair.value as Node | null });
    } else {
      reading.report.error('yaml/duplicate-key', reading.places.nodeRange(pair.key), {
        message: `the key \`${key}\` stands here twice`,
        related: [{ message: 'it stands here first', range: reading.places.nodeRange(first) }],
      });
    }
  }
  if (mergeKey !== undefined) entries.push(...mergedEntries(map, mergeKey, { seen, reading }));
  return entries;
}

/** A key that is written out beats one that is merged in; of several merged ones the first wins. */
function mergedEntries(
  map: YAMLMap,
  mergeKey: Scalar,
  into: { readonly seen: Map<string, Scalar>; readonly reading: MapReading },
): readonly MapEntry[] {
  const { places, report, aliases } = into.reading;
  const range = places.nodeRange(mergeKey);
  const sources = mergedMaps(map, (node) => (isAlias(node) ? places.target(node) : node));
  if (sources.length === 0) {
    report.error('yaml/bad-merge', range, { message: '`<<` takes a mapping, mostly an alias of one' });
  }
  const added: MapEntry[] = [];
  const cycle = 'the mapping is merged into itself';
  for (const source of sources) {
    const use = { size: source.items.length, range, cycle };
    const entries = aliases.within(source, use, () => entriesOf(source, into.reading)) ?? [];
    for (const entry of entries) {
      if (into.seen.has(entry.key)) continue;
      into.seen.set(entry.key, entry.keyNode);
      added.push(entry);
    }
  }
  return added;
}
