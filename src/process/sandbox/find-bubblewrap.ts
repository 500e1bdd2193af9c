/** Finds bubblewrap and tries it once: whether the system allows it cannot be told otherwise. */
import { execFile } from 'node:child_process';
import { error, ok, type Result } from '../../model/result.ts';
import { findProgram } from '../find-program.ts';
import { namespaceHelp } from './user-namespaces.ts';

export interface Bubblewrap {
  readonly path: string;
  /** GNU `env`, which keeps a signal to the process group from ending bubblewrap before the agent had time to end itself. */
  readonly env?: string;
}

export interface NoSandbox {
  readonly reason: string;
  readonly help: string;
}

const tried = new Map<string, Promise<Result<Bubblewrap, NoSandbox>>>();

export function findBubblewrap(
  path: string | undefined,
  platform: NodeJS.Platform = process.platform,
): Promise<Result<Bubblewrap, NoSandbox>> {
  const key = `${platform}\0${path}`;
  const found = tried.get(key) ?? tryBubblewrap(path, platform);
  tried.set(key, found);
  return found;
}

async function tryBubblewrap(
  path: string | undefined,
  platform: NodeJS.Platform,
): Promise<Result<Bubblewrap, NoSandbox>> {
  if (platform !== 'linux')
    return error({
      reason: `there is no sandbox for ${platform === 'darwin' ? 'macOS' : platform}`,
      help: 'run it on Linux or in a container, or remove `sandbox`',
    });
  const bwrap = findProgram('bwrap', path);
  if (bwrap === undefined)
    return error({
      reason: '`bwrap` not found on PATH',
      help: 'install the package `bubblewrap`, or remove `sandbox`',
    });
  const refused = await stderrOf(bwrap, [
    ...['--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    'true',
  ]);
  if (refused !== undefined)
    return error({
      reason: `bubblewrap cannot be used here: ${refused}`,
      help: namespaceHelp(),
    });
  const env = findProgram('env', path);
  const resets = env === undefined ? 'no env' : await stderrOf(env, ['--default-signal=TERM', 'true']);
  return ok({ path: bwrap, ...(env === undefined || resets !== undefined ? {} : { env }) });
}

/** Undefined: it succeeded. */
function stderrOf(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 10_000 }, (failed, _stdout, stderr) =>
      resolve(failed === null ? undefined : stderr.trim().split('\n').at(-1) || failed.message),
    );
  });
}
