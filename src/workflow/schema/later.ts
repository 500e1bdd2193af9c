import * as v from 'valibot';

/** A part of the format that is made when a file uses it. Most files use few parts. */
export function later<Schema extends v.GenericSchema<unknown, unknown>>(
  make: () => Schema,
): v.LazySchema<Schema> {
  let made: Schema | undefined;
  return v.lazy(() => {
    made ??= make();
    return made;
  });
}
