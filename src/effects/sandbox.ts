import fs from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { AgentAdapter } from '../agents/adapter.ts';
import type { RunSite } from '../engine/durable.ts';
import { parseHostPattern } from '../model/host-pattern.ts';
import type { SandboxChoice } from '../model/sandbox.ts';
import type { Environment } from '../process/environment.ts';
import type { ProcessRequest } from '../process/request.ts';
import type { Sandbox, SandboxNetwork } from '../process/sandbox.ts';
import { orchestrateFolder, runPathsIn } from '../store/layout.ts';

export interface Sandboxed {
  readonly choice: SandboxChoice | undefined;
  readonly run: RunSite;
  /** The folder the process works on, if it is not the workspace of the run. */
  readonly root?: string | undefined;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
  /** Its state stays writable, and its model can be reached. */
  readonly adapter?: AgentAdapter | undefined;
}

/** The part of a request that says what its process may touch. */
export function sandboxRequest(given: Sandboxed): Pick<ProcessRequest, 'sandbox'> {
  const { choice, run, root = run.workspace, env, adapter } = given;
  if (choice === undefined) return {};
  const sandbox: Sandbox = {
    level: choice.level,
    workspace: fs.realpathSync(worktreeOf(run, given.cwd) ?? root),
    records: fs.realpathSync(orchestrateFolder(run.home ?? run.workspace)),
    state: [...(choice.writable ?? []), ...(adapter === undefined ? [] : stateOf(adapter, env))],
    network: networkOf(choice, adapter?.modelHosts(env) ?? []),
  };
  return { sandbox };
}

/** Isolated work has its worktree, and not the checkout that it is merged into. */
export function worktreeOf({ directory }: Pick<RunSite, 'directory'>, cwd: string): string | undefined {
  const { worktrees } = runPathsIn(directory);
  const [name = '..'] = relative(worktrees, cwd).split(sep);
  return name === '' || name === '..' ? undefined : join(worktrees, name);
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
