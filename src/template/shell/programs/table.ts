/** A table in which several names share an entry, such as `'awk gawk mawk'`. */
export function table<Value>(entries: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> {
  return new Map(
    Object.entries(entries).flatMap(([names, value]) => names.split(' ').map((name) => [name, value])),
  );
}
