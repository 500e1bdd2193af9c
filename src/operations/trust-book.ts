/**
 * What the user trusts to run. An answer counts for the rest of this process even if it cannot be saved.
 */
import type { Result } from '../model/result.ts';
import { agreeTo, type Claim, trustFile, untrusted, type WeighedClaim, whyUnread } from '../store/trust.ts';
import { type UserEnvironment, userFolder } from '../store/user-folder.ts';

export type { Claim, WeighedClaim } from '../store/trust.ts';

export interface TrustBook {
  /** Undefined if there is nothing to ask. Otherwise all claims, each with whether the user has seen it. */
  untrusted(folder: string, claims: readonly Claim[]): readonly WeighedClaim[] | undefined;
  /** Trusts the claims in this folder from now on. The error, a sentence, says why the answer could not be saved. */
  agree(folder: string, claims: readonly Claim[]): Promise<Result<void, string>>;
  /** Why what the user has trusted before cannot be read. */
  unread(): string | undefined;
}

export function createTrustBook(environment: UserEnvironment): TrustBook {
  const file = trustFile(userFolder(environment));
  const agreed = new Set<string>();
  return {
    untrusted(folder, claims) {
      return agreed.has(nameOf(folder, claims)) ? undefined : untrusted(file, folder, claims);
    },
    agree(folder, claims) {
      agreed.add(nameOf(folder, claims));
      return agreeTo(file, folder, claims);
    },
    unread: () => whyUnread(file),
  };
}

function nameOf(folder: string, claims: readonly Claim[]): string {
  return JSON.stringify([folder, claims.map(({ name, value }) => [name, value])]);
}
