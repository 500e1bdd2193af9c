import type { Site } from '../site.ts';
import type { Claim } from '../trust-book.ts';

/**
 * Records what the user has set on this machine with a command of this program, unless something untrusted stands beside it. Answers, in a
 * sentence, why the user will be asked about it all the same.
 */
export async function trustOwn(
  { trust, asker }: Site,
  own: { readonly folder: string; readonly before: readonly Claim[]; readonly after: readonly Claim[] },
): Promise<string | undefined> {
  const { folder, before, after } = own;
  if (asker === 'agent' || after.length === 0) return undefined;
  if (before.length > 0 && trust.untrusted(folder, before) !== undefined) return undefined;
  if (trust.untrusted(folder, after) === undefined) return undefined;
  const kept = await trust.agree(folder, after);
  return kept.type === 'error' ? kept.error : undefined;
}
