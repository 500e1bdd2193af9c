import type { Site } from '../operations/site.ts';
import { createTrustBook, type TrustBook } from '../operations/trust-book.ts';
import type { CliContext } from './context.ts';

let trust: TrustBook | undefined;

/** What operations know about this process. */
export function siteOf({ workspace }: Pick<CliContext, 'workspace'>): Site {
  return {
    workspace,
    environment: process.env,
    asker: 'user',
    get trust() {
      trust ??= createTrustBook(process.env);
      return trust;
    },
    now: () => new Date(),
  };
}
