/** Turns a request into one that runs inside its sandbox. */
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { loopbackPorts } from '../../model/host-pattern.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { findProgram } from '../find-program.ts';
import type { EnterSandbox, Sandbox } from '../sandbox.ts';
import { bubblewrapOptions } from './bubblewrap.ts';
import { type Bubblewrap, findBubblewrap } from './find-bubblewrap.ts';
import { type OuterGate, openOuterGate } from './outer-gate.ts';

/** In a network of its own, where nothing else listens. */
const PROXY_PORT = 3128;
const SIGNALS = ['INT', 'TERM', 'HUP'];

/** `gate`: the built program of `inner-gate.ts`. */
export async function enterSandbox(
  { argv, env, cwd }: Parameters<EnterSandbox>[0],
  sandbox: Sandbox,
  gate: string,
): ReturnType<EnterSandbox> {
  const bubblewrap = await findBubblewrap(env['PATH']);
  if (bubblewrap.type === 'error') return error({ type: 'no-sandbox', ...bubblewrap.error });
  // Bubblewrap's own words for a missing program would be taken for the program's.
  const [name = ''] = argv;
  const program = findProgram(name.includes('/') ? resolve(cwd, name) : name, env['PATH']);
  if (program === undefined) return error({ type: 'not-found', program: name });
  const outer = await openGate(sandbox, env);
  if (outer.type === 'error') return outer;
  const socket = outer.value?.socket;
  const inner = socket === undefined ? [] : innerGate(sandbox, gate, socket);
  const options = bubblewrapOptions({
    ...{ sandbox, cwd, env, programs: [program, process.execPath, gate] },
    ...defined({ socket }),
  });
  return ok({
    argv: wrapped(bubblewrap.value, options, [...inner, ...argv]),
    env: socket === undefined ? env : { ...env, ...PROXY_VARIABLES },
    leave: () => outer.value?.close(),
  });
}

async function openGate(
  { network }: Sandbox,
  env: Parameters<EnterSandbox>[0]['env'],
): Promise<Result<OuterGate | undefined, Failure>> {
  if (network.type !== 'only' || network.hosts.length === 0) return ok(undefined);
  try {
    return ok(await openOuterGate(network.hosts, env));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'EIO';
    return error({ type: 'file', operation: 'listen in', path: tmpdir(), code });
  }
}

function innerGate({ network }: Sandbox, gate: string, socket: string): readonly string[] {
  if (network.type !== 'only') return [];
  const ports = loopbackPorts(network.hosts).join(',');
  return [process.execPath, gate, socket, String(PROXY_PORT), ports, '--'];
}

const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
const PROXY_VARIABLES = {
  ...{ HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, http_proxy: PROXY, https_proxy: PROXY },
  ...{ ALL_PROXY: PROXY, all_proxy: PROXY },
  ...{ NO_PROXY: 'localhost,127.0.0.1,::1', no_proxy: 'localhost,127.0.0.1,::1' },
};

/** Bubblewrap ignores the signals that ask the step to end, and the program inside does not. */
function wrapped(
  { path, env }: Bubblewrap,
  options: readonly string[],
  argv: readonly string[],
): readonly string[] {
  // `env` would take such a program for a variable.
  if (env === undefined || argv[0]?.includes('=') === true) return [path, ...options, '--', ...argv];
  const ignore = SIGNALS.map((signal) => `--ignore-signal=${signal}`);
  const reset = SIGNALS.map((signal) => `--default-signal=${signal}`);
  return [env, ...ignore, path, ...options, '--', env, ...reset, ...argv];
}
