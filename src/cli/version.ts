import fs from 'node:fs';
import { join } from 'node:path';
import type { CliContext } from './context.ts';

/** The version of this program. */
export function versionOf({ dist }: Pick<CliContext, 'dist'>): string {
  return JSON.parse(fs.readFileSync(join(dist, '..', 'package.json'), 'utf8')).version;
}
