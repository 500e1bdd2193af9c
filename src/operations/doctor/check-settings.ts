import { advice, command } from '../../model/advice.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Result } from '../../model/result.ts';
import { quoteWord } from '../../template/quote.ts';
import { readEngineSettings } from '../config/engine-settings.ts';
import { ENGINE_CONFIG, userConfigPath, WORKSPACE_CONFIG } from '../config/places.ts';
import { firstMistake, readUserConfig, readWorkspaceConfig } from '../config/read-config.ts';
import type { Site } from '../site.ts';
import type { Finding } from './finding.ts';

/** Files with settings that nothing is taken from, because there is a mistake in them. */
export function checkSettings(site: Pick<Site, 'workspace' | 'environment'>): readonly Finding[] {
  const { workspace } = site;
  return [
    ...mistakeIn(WORKSPACE_CONFIG, readWorkspaceConfig(workspace)),
    ...mistakeIn(userConfigPath(site), readUserConfig(site)),
    ...mistakeIn(ENGINE_CONFIG, readEngineSettings(workspace)),
  ];
}

function mistakeIn(file: string, read: Result<unknown, readonly Diagnostic[]>): readonly Finding[] {
  if (read.type === 'ok') return [];
  const message = firstMistake(read.error) ?? `\`${file}\` cannot be read`;
  const help = advice`nothing in it counts until it is corrected; ${command(`validate ${quoteWord(file)}`)} shows every mistake`;
  return [{ area: 'workspace', level: 'problem', message, help }];
}
