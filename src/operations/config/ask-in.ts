import type { AskRule } from '../../model/ask-rule.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Site } from '../site.ts';
import { hasConfig } from './places.ts';

/**
 * The rules that `config.yaml` has for every agent: those of the user before those of the workspace, whose file may come from others. A file
 * that cannot be read is an error, never no rules.
 */
export async function askIn(
  site: Pick<Site, 'workspace' | 'environment'>,
): Promise<Result<readonly AskRule[] | undefined, string>> {
  if (!hasConfig(site)) return ok(undefined);
  const { firstMistake, readUserConfig, readWorkspaceConfig } = await import('./read-config.ts');
  const rules: AskRule[] = [];
  for (const read of [readUserConfig(site), readWorkspaceConfig(site.workspace)]) {
    if (read.type === 'error') return error(firstMistake(read.error) ?? 'config.yaml cannot be read');
    rules.push(...(read.value.ask ?? []));
  }
  return ok(rules.length === 0 ? undefined : rules);
}
