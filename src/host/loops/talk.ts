/** The user and an agent write the instructions of a loop together, on the user's terminal. */
import { spawn } from 'node:child_process';
import { pathsIn } from '../../iterate/workspace/layout.ts';
import { readTextIfThere } from '../../iterate/workspace/workspaces.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { takeWorkspace } from '../../operations/loops/site/take-workspace.ts';
import { countSetup, type LoopTalk } from '../../operations/loops/write-instructions.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Site } from '../../operations/site.ts';
import { childEnvironment } from '../../process/environment.ts';

export interface TalkEnded {
  /** Path of the instructions. */
  readonly path: string;
  readonly isChanged: boolean;
}

export async function holdTalk(
  site: Site,
  { name, folder, argv }: LoopTalk,
): Promise<Result<TalkEnded, Problem>> {
  const paths = pathsIn(folder);
  const { instructions: path } = paths;
  const lock = takeWorkspace({ name, paths });
  if (lock.type === 'error') return lock;
  try {
    const before = readTextIfThere(path);
    const exitCode = await handOver(site, argv);
    const text = readTextIfThere(path);
    if (exitCode !== 0 && text === before) return error({ type: 'agent-exited', exitCode });
    if (text === undefined || text.trim() === '') return error({ type: 'no-instructions-written', name });
    if (text === before) return ok({ path, isChanged: false });
    const counted = await countSetup(paths.metadata);
    return counted.type === 'ok' ? ok({ path, isChanged: true }) : counted;
  } finally {
    lock.value.release();
  }
}

/** Ctrl+C goes to the agent, which has the terminal. */
function handOver({ workspace, environment }: Site, argv: readonly string[]): Promise<number> {
  const [program = '', ...rest] = argv;
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  return new Promise<number>((resolve) => {
    const child = spawn(program, rest, {
      cwd: workspace,
      stdio: 'inherit',
      env: childEnvironment({ base: environment, runId: '', runMark: 'setup', key: 'setup' }),
    });
    child.once('error', () => resolve(127));
    child.once('close', (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  }).finally(() => process.off('SIGINT', ignore));
}
