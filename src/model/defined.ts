/** The fields that have a value. `{ ...always, ...defined({ maybe }) }` omits `maybe` instead of setting it to `undefined`. */
export function defined<Fields extends { readonly [name: string]: unknown }>(
  fields: Fields,
): Defined<Fields> {
  const kept: { [name: string]: unknown } = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as Defined<Fields>;
}

type Defined<Fields> = { -readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
