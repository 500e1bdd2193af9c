import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { onStopSignal } from '../../host/stop-signals.ts';
import type { PageServing } from '../../http/server.ts';
import type { Keeper } from '../../keeper/keeper.ts';
import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { hasConfig } from '../../operations/config/places.ts';
import { describeProblem } from '../../operations/describe-problem.ts';
import type { Problem } from '../../operations/problem.ts';
import { accessToken } from '../../operations/serving/access-token.ts';
import { findServing, holdServing } from '../../operations/serving/hold-serving.ts';
import type { Site } from '../../operations/site.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { paths } from '../path-argument.ts';
import { printDiagnostics } from '../print-diagnostics.ts';
import { workersOf } from '../reach-workers.ts';
import { refuse } from '../refuse.ts';
import { siteOf, siteOfServer } from '../site.ts';
import { subcommandsOf } from '../subcommands.ts';
import { versionOf } from '../version.ts';
import type { InstallFlags } from './serve-unit.ts';

interface ServeFlags {
  readonly port?: number;
  readonly host?: string;
  readonly allowRemote?: boolean;
  readonly publicUrl?: URL;
  readonly readOnly?: boolean;
  readonly allowActions?: boolean;
  readonly keep: boolean;
  readonly open?: boolean;
  readonly json?: boolean;
  readonly address?: boolean;
}

const USUAL_PORT = 4747;
const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

export function define(command: Command, context: CliContext): void {
  command
    .argument('[folders...]', 'workspaces to serve (default: this one)', paths)
    .option('--port <port>', 'port to listen on; 0 takes a free one (default: 4747)', readPort)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--allow-remote', 'allow an address that other machines can reach')
    .option('--public-url <url>', 'address under which other machines reach the page', readUrl)
    .option('--read-only', 'show everything, change nothing')
    .option('--allow-actions', 'allow changes from other machines')
    .option('--no-keep', 'do not resume runs, and start none on a schedule or from the queue')
    .option('--open', 'open the page in a browser')
    .option('--json', 'print the address, port and token as JSON')
    .option('--address', 'only print the address of the server that is already running here, with its token')
    .addHelpText(
      'after',
      '\nThe address has a token: whoever has it can read and steer your runs. Runs continue when the server stops.\n\nExample:\n  orchestrate serve --open\n  orchestrate serve ~/work/api ~/work/web --port 0 --read-only',
    )
    .action(async (folders: readonly string[] | undefined, flags: ServeFlags) => {
      context.exitCode =
        flags.address === true
          ? printAddress(context, folders ?? [])
          : await serve(context, folders ?? [], flags);
    });
  const add = subcommandsOf(command);
  add(
    'install',
    'write a systemd user unit, or on macOS a launchd agent, that serves and keeps these folders',
    'orchestrate serve install ~/work/api',
  )
    .argument('[folders...]', 'workspaces to serve (default: this one)', paths)
    .option('--port <port>', 'port to listen on (default: 4747)', readPort)
    .action(async (folders: readonly string[] | undefined, flags: InstallFlags) => {
      context.exitCode = await changeUnit(context, folders ?? [], (unit, found) =>
        // A flag that `serve` has too is taken by it.
        unit.install(context, found, { ...command.opts<InstallFlags>(), ...flags }),
      );
    });
  add(
    'uninstall',
    'remove the file that `install` wrote for these folders',
    'orchestrate serve uninstall ~/work/api',
  )
    .argument('[folders...]', 'workspaces to serve (default: this one)', paths)
    .action(async (folders: readonly string[] | undefined) => {
      context.exitCode = await changeUnit(context, folders ?? [], (unit, found) =>
        unit.uninstall(context, found),
      );
    });
}

async function changeUnit(
  context: CliContext,
  folders: readonly string[],
  change: (unit: typeof import('./serve-unit.ts'), workspaces: readonly string[]) => number,
): Promise<number> {
  const workspaces = workspacesOf(context, folders);
  if (workspaces.type === 'error') return refuse(context, workspaces.error);
  return change(await import('./serve-unit.ts'), workspaces.value);
}

function printAddress(context: CliContext, folders: readonly string[]): number {
  const workspaces = workspacesOf(context, folders);
  if (workspaces.type === 'error') return refuse(context, workspaces.error);
  const url = findServing(process.env, workspaces.value[0] ?? context.workspace);
  if (url.type === 'error') return refuse(context, url.error);
  const token = accessToken(process.env);
  if (token.type === 'error') return refuse(context, token.error);
  context.out(`${url.value}/#token=${token.value}\n`);
  return EXIT.done;
}

async function serve(context: CliContext, folders: readonly string[], given: ServeFlags): Promise<number> {
  const workspaces = workspacesOf(context, folders);
  if (workspaces.type === 'error') return refuse(context, workspaces.error);
  const flags = await withSettings(context, given, workspaces.value);
  const refusal = whyNot(flags);
  if (refusal !== undefined) return refuse(context, refusal);
  const token = accessToken(process.env);
  if (token.type === 'error') return refuse(context, token.error);
  const hold = holdServing(process.env, workspaces.value);
  if (hold.type === 'error') return refuse(context, hold.error);
  try {
    const { PageServer } = await import('../../http/server.ts');
    const sites = await sitesOf(context, workspaces.value);
    const server = new PageServer(servingOf(context, flags, { sites, token: token.value }));
    const port = await server.listen();
    if (port.type === 'error') return refuse(context, port.error);
    const base = flags.publicUrl?.origin ?? `http://127.0.0.1:${port.value}`;
    hold.value.publish(base);
    const url = `${base}/#token=${token.value}`;
    const stopped = new Promise<void>((resolve) => {
      const dispose = onStopSignal(() => {
        dispose();
        resolve();
      });
    });
    context.out(
      flags.json === true ? `${JSON.stringify({ url, port: port.value, token: token.value })}\n` : `${url}\n`,
    );
    const keepers =
      flags.keep && flags.readOnly !== true ? await startKeepers(context, workspaces.value) : [];
    if (flags.open === true) (await import('../open-browser.ts')).openBrowser(url);
    await stopped;
    for (const { codeProcesses } of sites) codeProcesses?.close();
    await Promise.all([server.close(), ...keepers.map((keeper) => keeper.stop())]);
    await Promise.all(sites.map(({ workers }) => workers?.close()));
    return EXIT.done;
  } finally {
    hold.value.release();
  }
}

/**
 * What the command line leaves out comes from `config.yaml`. Only the user's own file adds a name under which the page may be opened (S2): the
 * file of a workspace may come from others.
 */
async function withSettings(
  context: CliContext,
  flags: ServeFlags,
  [workspace = context.workspace]: readonly string[],
): Promise<ServeFlags & { readonly port: number }> {
  const site = siteOf({ ...context, workspace });
  if (!hasConfig(site)) return { ...flags, port: flags.port ?? USUAL_PORT };
  const { readConfig, readUserConfig } = await import('../../operations/config/read-config.ts');
  const { config, diagnostics } = readConfig(site);
  if (diagnostics.length > 0) await printDiagnostics(context, diagnostics);
  const user = readUserConfig(site);
  const own = user.type === 'ok' ? user.value.publicUrl : undefined;
  return {
    ...flags,
    port: flags.port ?? config.port ?? USUAL_PORT,
    ...(flags.publicUrl === undefined && own !== undefined ? { publicUrl: new URL(own) } : {}),
  };
}

/** A workspace that another process keeps is left to it. */
async function startKeepers(context: CliContext, workspaces: readonly string[]): Promise<readonly Keeper[]> {
  const { keeperHere } = await import('../keeper-here.ts');
  const keepers: Keeper[] = [];
  for (const workspace of workspaces) {
    const keeper = keeperHere(context, workspace);
    const started = keeper.start();
    if (started.type === 'ok') keepers.push(keeper);
    else context.err(`note: ${describeProblem(started.error).message}\n`);
  }
  return keepers;
}

/** With the workers of those that use any. */
async function sitesOf(context: CliContext, workspaces: readonly string[]): Promise<readonly Site[]> {
  const sites: Site[] = [];
  for (const workspace of workspaces) {
    const here = { ...context, workspace };
    const workers = await workersOf(here, siteOf(here), (problem) =>
      context.err(`note: ${workspace}: runs of workers are not shown: ${describeProblem(problem).message}\n`),
    );
    sites.push(siteOfServer(here, defined({ workers })));
  }
  return sites;
}

function servingOf(
  context: CliContext,
  flags: ServeFlags & { readonly port: number },
  { sites, token }: { readonly sites: readonly Site[]; readonly token: string },
): PageServing {
  const isRemote = !LOOPBACK.includes(flags.host ?? '127.0.0.1');
  return {
    sites,
    host: flags.host ?? '127.0.0.1',
    port: flags.port,
    ...defined({ publicUrl: flags.publicUrl }),
    token,
    // S9
    isReadOnly: flags.readOnly === true || (isRemote && flags.allowActions !== true),
    page: join(context.dist, 'web'),
    program: [process.execPath, join(context.dist, '..', 'bin', 'orchestrate.js')],
    version: versionOf(context),
    onBug: (bug) => context.err(`internal error: ${bug instanceof Error ? bug.stack : String(bug)}\n`),
  };
}

/** S1 */
function whyNot({ host = '127.0.0.1', allowRemote, publicUrl }: ServeFlags): Problem | undefined {
  if (LOOPBACK.includes(host)) return undefined;
  if (allowRemote !== true) return { type: 'remote-not-allowed', host };
  if (publicUrl === undefined) return { type: 'remote-without-url' };
  return undefined;
}

function workspacesOf(context: CliContext, folders: readonly string[]): Result<readonly string[], Problem> {
  if (folders.length === 0) return ok([context.workspace]);
  const found = new Set<string>();
  for (const folder of folders) {
    try {
      const real = fs.realpathSync(resolve(folder));
      if (!fs.statSync(real).isDirectory()) return error({ type: 'not-a-folder', folder });
      found.add(real);
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code ?? 'EIO';
      return error({ type: 'cannot-serve', folder, code });
    }
  }
  return ok([...found]);
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('must be a number from 0 to 65535');
  return port;
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new InvalidArgumentError('must be an address such as https://runs.example.com');
  return url;
}
