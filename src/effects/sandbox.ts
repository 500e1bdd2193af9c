import fs from 'node:fs';
import type { AgentAdapter } from '../agents/adapter.ts';
import { parseHostPattern } from '../model/host-pattern.ts';
import type { SandboxChoice } from '../model/sandbox.ts';
import type { Environment } from '../process/environment.ts';
import type { ProcessRequest } from '../process/request.ts';
import type { Sandbox, SandboxNetwork } from '../process/sandbox.ts';
import { orchestrateFolder } from '../store/layout.ts';

export interface Sandboxed {
  readonly choice: SandboxChoice | undefined;
  /** The workspace of the run, and the folder the process works on if it is another. */
  readonly workspace: string;
  readonly root?: string | undefined;
  readonly env: Environment;
  /** Its state stays writable, and its model can be reached. */
  readonly adapter?: AgentAdapter | undefined;
}

/** The part of a request that says what its process may touch. */
export function sandboxRequest(given: Sandboxed): Pick<ProcessRequest, 'sandbox'> {
  const { choice, workspace, root = workspace, env, adapter } = given;
  if (choice === undefined) return {};
  const sandbox: Sandbox = {
    level: choice.level,
    workspace: fs.realpathSync(root),
    records: fs.realpathSync(orchestrateFolder(workspace)),
    state: adapter === undefined ? [] : stateOf(adapter, env),
    network: networkOf(choice, adapter?.modelHosts(env) ?? []),
  };
  return { sandbox };
}

/** A folder that the agent would make at its first start could not be made inside. */
function stateOf(adapter: AgentAdapter, env: Environment): readonly string[] {
  const { folders, files = [] } = adapter.stateIn(env);
  for (const folder of folders) {
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      // The agent itself reports that it cannot write there.
    }
  }
  return [...folders, ...files];
}

function networkOf({ network, allowHosts }: SandboxChoice, model: readonly string[]): SandboxNetwork {
  if (network !== 'model') return { type: network };
  const hosts = [...model, ...allowHosts].flatMap((text) => parseHostPattern(text) ?? []);
  return hosts.length === 0 ? { type: 'none' } : { type: 'only', hosts };
}
