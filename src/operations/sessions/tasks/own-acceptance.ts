import type { Session } from '../../../session/sessions/sessions.ts';
import type { Site } from '../../site.ts';
import { type VouchedFor, vouchFor } from '../trust-tasks.ts';

/** Only an acceptance entry that is a command needs trust. */
export async function withOwnAcceptance<Value>(
  site: Site,
  session: Session,
  { acceptance, change }: { readonly acceptance: readonly string[] | undefined; change(): Promise<Value> },
): Promise<VouchedFor<Value>> {
  return acceptance === undefined ? { value: await change() } : vouchFor(site, session, change);
}
