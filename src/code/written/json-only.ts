/** What may cross into a record, as a type: a `Date`, a `Map`, a function or a class with methods does not fit. */
export type JsonOnly<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends bigint | symbol | ((...given: never[]) => unknown)
    ? never
    : Value extends object
      ? { [Key in keyof Value]: JsonOnly<Value[Key]> }
      : unknown extends Value
        ? Value
        : // A function that returns nothing.
          undefined extends Value
          ? Value
          : never;
