import type { Site } from '../site.ts';
import type { Claim } from '../trust-book.ts';

/**
 * Trusts a setting that the user made with a command on this machine, unless there are untrusted settings beside it. Returns a sentence if
 * the user will be asked about it anyway.
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
