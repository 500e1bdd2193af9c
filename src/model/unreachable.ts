/**
 * How a `switch` over a closed union ends, so that adding a member does not compile where it is not handled
 * (`test/exhaustive.test.ts`). A switch that means only a few members says why instead: `default: // Partial: …`.
 */

/** Ends a switch that has a case for every member. */
export function unreachable(value: never): never {
  const member: unknown = Object(value).type ?? value;
  throw new Error(`there is no case for \`${String(member)}\``);
}

/** The same for a fold over journal records, which skips one that only a newer version knows. */
export function skipUnknown(_record: never): void {}
