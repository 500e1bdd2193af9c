/**
 * What the user has agreed to let run, for one process: what was agreed to in this process counts also where it cannot be written down.
 */
import type { Result } from '../model/result.ts';
import { agreeTo, type Claim, trustFile, untrusted, type WeighedClaim } from '../store/trust.ts';
import { type UserEnvironment, userFolder } from '../store/user-folder.ts';

export type { Claim, WeighedClaim } from '../store/trust.ts';

export interface TrustBook {
  /** Nothing to ask: `undefined`. Otherwise all claims, with what the user knows of each. */
  untrusted(folder: string, claims: readonly Claim[]): readonly WeighedClaim[] | undefined;
  /** From now on these are trusted in this folder. The problem, a sentence, is that the next process will not know. */
  agree(folder: string, claims: readonly Claim[]): Promise<Result<void, string>>;
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
  };
}

function nameOf(folder: string, claims: readonly Claim[]): string {
  return JSON.stringify([folder, claims.map(({ name, value }) => [name, value])]);
}
