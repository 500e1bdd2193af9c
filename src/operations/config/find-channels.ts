/** Where a run in this workspace sends its notifications. The file of a workspace may come from others: what it sets must be trusted. */
import { secretsInAddress, shownAddress } from '../../model/address.ts';
import { defined } from '../../model/defined.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { JsonValue } from '../../model/json.ts';
import type { NotifyChannel, NotifyWay } from '../../model/notify.ts';
import type { Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { NotTrusted } from '../problem.ts';
import type { Site } from '../site.ts';
import { mayRun } from '../trust/may-run.ts';
import type { Claim } from '../trust-book.ts';
import { WORKSPACE_CONFIG } from './places.ts';
import { type ConfigFile, readUserConfig, readWorkspaceConfig } from './read-config.ts';

export interface FoundChannels {
  readonly channels: readonly NotifyChannel[];
  /** The address of the page. */
  readonly publicUrl?: string;
  /** What the file of the workspace sets is not used before the user has trusted it. */
  readonly untrusted?: NotTrusted;
  readonly diagnostics: readonly Diagnostic[];
}

export function findChannels(site: Site): FoundChannels {
  const own = readWorkspaceConfig(site.workspace);
  const user = readUserConfig(site);
  const may = own.type === 'ok' ? mayRun(site, site.workspace, claimsOf(own.value)) : own;
  const files = [
    own.type === 'ok' && may.type === 'ok' ? own.value : undefined,
    user.type === 'ok' ? user.value : undefined,
  ];
  const untrusted = own.type === 'ok' && may.type === 'error' ? (may.error as NotTrusted) : undefined;
  const used = files.filter((file) => file !== undefined);
  return {
    channels: used.flatMap(({ notify }) => notify),
    ...defined({ publicUrl: used.find(({ publicUrl }) => publicUrl !== undefined)?.publicUrl, untrusted }),
    diagnostics: [own, user].flatMap((each) => (each.type === 'error' ? each.error : [])),
  };
}

/** For a door that can ask. */
export function mayNotify(site: Site): Result<void, NotTrusted> {
  const own = readWorkspaceConfig(site.workspace);
  return mayRun(site, site.workspace, own.type === 'ok' ? claimsOf(own.value) : []);
}

/** The parts of addresses that must not reach any file of a run. */
export function secretsOf(
  channels: readonly NotifyChannel[],
  environment: Site['environment'],
): readonly string[] {
  return channels.flatMap(({ way }) => {
    const url = addressOf(way, environment);
    return url === undefined ? [] : secretsInAddress(url);
  });
}

export function addressOf(way: NotifyWay, environment: Site['environment']): string | undefined {
  if (way.type === 'service') return way.url;
  return way.type === 'service-in' ? environment[way.variable] : undefined;
}

/** The desktop and the bell are the user's own. */
function claimsOf({ notify, publicUrl }: ConfigFile): readonly Claim[] {
  const sent = notify.flatMap(({ way }, index): readonly Claim[] => {
    const shown = shownWay(way);
    const value = { ...way } as unknown as JsonValue;
    return shown === undefined ? [] : [{ name: `notify[${index}]`, value, shown, file: WORKSPACE_CONFIG }];
  });
  const linked: readonly Claim[] =
    publicUrl === undefined ? [] : [{ name: 'serve.public_url', value: publicUrl, file: WORKSPACE_CONFIG }];
  return [...sent, ...linked];
}

function shownWay(way: NotifyWay): string | undefined {
  switch (way.type) {
    case 'service':
      return shownAddress(way.url);
    case 'service-in':
      return `the address in ${way.variable}`;
    case 'command':
      return way.argv.join(' ');
    case 'desktop':
    case 'bell':
      return undefined;
    default:
      return unreachable(way);
  }
}
