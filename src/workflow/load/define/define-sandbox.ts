import { defined } from '../../../model/defined.ts';
import type { SandboxWish } from '../../../model/sandbox.ts';
import type { SandboxSource } from '../../schema/sandbox.ts';

/** Undefined if nothing is said about a sandbox. */
export function defineSandbox({
  sandbox: level,
  network,
  allow_hosts: allowHosts,
}: SandboxSource): SandboxWish | undefined {
  const wish = defined({ level, network, allowHosts });
  return Object.keys(wish).length === 0 ? undefined : wish;
}
