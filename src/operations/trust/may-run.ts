/** Checks trust before a file of a project chooses what runs on this machine. */
import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { NotTrusted } from '../problem.ts';
import type { Site } from '../site.ts';
import type { Claim } from '../trust-book.ts';

export function mayRun(
  { trust }: Pick<Site, 'trust'>,
  folder: string,
  claims: readonly Claim[],
): Result<void, NotTrusted> {
  const open = claims.length === 0 ? undefined : trust.untrusted(folder, claims);
  if (open === undefined) return ok(undefined);
  return error({ type: 'not-trusted', folder, claims: open, ...defined({ unread: trust.unread() }) });
}
