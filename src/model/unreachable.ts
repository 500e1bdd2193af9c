/**
 * The end of a `switch` over a closed union, so that a new member does not compile until it is handled
 * (`test/exhaustive.test.ts`). A switch that handles only some members says why instead: `default: // Partial: …`.
 */

/** Ends a switch that has a case for every member. */
export function unreachable(value: never): never {
  const member: unknown = Object(value).type ?? value;
  throw new Error(`no case for \`${String(member)}\``);
}

/** The same for a fold over journal records: skips one from a newer version. */
export function skipUnknown(_record: never): void {}
