import { hasEngineConfig } from '../../operations/config/places.ts';
import type { CliContext } from '../context.ts';
import type { EngineOption } from '../run-options.ts';
import { siteOf } from '../site.ts';

/** The flags of a command with whether workers carry its run out. A dry run stays here unless it is asked for. */
export async function withEngine<Flags extends EngineOption & { readonly dryRun?: boolean }>(
  context: CliContext,
  flags: Flags,
): Promise<Flags & { readonly engine: boolean }> {
  const engine = flags.engine ?? (flags.dryRun !== true && (await usesWorkers(context)));
  return { ...flags, engine };
}

/** A file that cannot be read is reported where it is used. */
async function usesWorkers(context: CliContext): Promise<boolean> {
  const { workspace } = siteOf(context);
  if (!hasEngineConfig(workspace)) return false;
  const { readEngineSettings } = await import('../../operations/config/engine-settings.ts');
  const settings = readEngineSettings(workspace);
  return settings.type === 'error' || settings.value?.use === 'always';
}
