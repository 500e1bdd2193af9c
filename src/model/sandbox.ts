/** What a step says about the files and the network that its process may reach. */
export const SANDBOX_LEVELS = ['read-only', 'workspace-write'] as const;
export type SandboxLevel = (typeof SANDBOX_LEVELS)[number];

export const NETWORK_LEVELS = ['none', 'model', 'full'] as const;
export type NetworkLevel = (typeof NETWORK_LEVELS)[number];

export interface SandboxChoice {
  readonly level: SandboxLevel;
  /** `model`: only the addresses of the agent's model, and `allowHosts`. */
  readonly network: NetworkLevel;
  /** `host`, `host:port` or `*.host`. */
  readonly allowHosts: readonly string[];
  /** Relative to the workspace, absolute only outside it: paths that stay writable at every level. */
  readonly writable?: readonly string[];
}

/** What a step or a provider says; the rest is left to others. */
export interface SandboxWish {
  /** `off`: no sandbox, whatever others say. */
  readonly level?: SandboxLevel | 'off';
  readonly network?: NetworkLevel;
  readonly allowHosts?: readonly string[];
}

/** Key by key, the last one that says something counts. Undefined: no sandbox. */
export function chooseSandbox(...wishes: readonly (SandboxWish | undefined)[]): SandboxChoice | undefined {
  const { level = 'off', network = 'model', allowHosts = [] } = Object.assign({}, ...wishes) as SandboxWish;
  return level === 'off' ? undefined : { level, network, allowHosts };
}
