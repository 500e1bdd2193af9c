/** A site for operations, with its own home folder. */
import path from 'node:path';
import type { ModuleLoader, Site } from '../../src/operations/site.ts';
import { createTrustBook } from '../../src/operations/trust-book.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

/** For tests without workflows in code. */
export const NO_MODULES: ModuleLoader = {
  load: async ({ file }) => {
    throw new Error(`${file} is loaded by the real program only`);
  },
};

export function temporarySite(asker: Site['asker'] = 'user'): Site {
  const workspace = temporaryFolder();
  const environment = { HOME: path.join(temporaryFolder(), 'home') };
  return {
    workspace,
    environment,
    asker,
    trust: createTrustBook(environment),
    modules: NO_MODULES,
    now: () => new Date('2026-01-31T12:00:00Z'),
  };
}
