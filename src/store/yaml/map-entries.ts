/** The keys of a mapping, each once, including those merged in by `<<`. */
import { isAlias, isScalar, type Node, type Scalar, type YAMLMap } from 'yaml';
import type { AliasExpansion } from './alias-expansion.ts';
import { isMergeKey, keyText, mergedMaps, type Places } from './places.ts';
import type { Report } from './report.ts';

/** Up to this many keys are compared one by one, which is cheaper than a table. */
const FEW = 16;

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
  const seen = map.items.length > FEW ? new Map<string, Scalar>() : undefined;
  let mergeKey: Scalar | undefined;
  for (const pair of map.items) {
    const key = keyText(pair.key);
    if (key === undefined || !isScalar(pair.key)) continue;
    const first = seen === undefined ? keyNodeIn(entries, key) : seen.get(key);
    if (key === '<<' && isMergeKey(pair.key)) mergeKey ??= pair.key;
    else if (first === undefined) {
      seen?.set(key, pair.key);
      entries.push({ key, keyNode: pair.key, value: pair.value as Node | null });
    } else {
      reading.report.error('yaml/duplicate-key', reading.places.nodeRange(pair.key), {
        message: `duplicate key \`${key}\``,
        related: [{ message: 'first used here', range: reading.places.nodeRange(first) }],
      });
    }
  }
  return mergeKey === undefined ? entries : withMerged(map, mergeKey, { entries, reading });
}

function keyNodeIn(entries: readonly MapEntry[], key: string): Scalar | undefined {
  for (const entry of entries) if (entry.key === key) return entry.keyNode;
  return undefined;
}

/** An explicit key overrides a merged one; of several merged ones the first wins. */
function withMerged(
  map: YAMLMap,
  mergeKey: Scalar,
  into: { readonly entries: readonly MapEntry[]; readonly reading: MapReading },
): readonly MapEntry[] {
  const { places, report, aliases } = into.reading;
  const range = places.nodeRange(mergeKey);
  const sources = mergedMaps(map, (node) => (isAlias(node) ? places.target(node) : node));
  if (sources.length === 0) {
    report.error('yaml/bad-merge', range, { message: '`<<` must be a mapping, usually an alias of one' });
  }
  const all = new Map(into.entries.map((entry) => [entry.key, entry]));
  const cycle = 'the mapping is merged into itself';
  for (const source of sources) {
    const use = { size: source.items.length, range, cycle };
    const entries = aliases.within(source, use, () => entriesOf(source, into.reading)) ?? [];
    for (const entry of entries) if (!all.has(entry.key)) all.set(entry.key, entry);
  }
  return [...all.values()];
}
