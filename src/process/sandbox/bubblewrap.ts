/** The arguments of bubblewrap. Later mounts are on top of earlier ones, so their order matters. */
import fs from 'node:fs';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import type { Sandbox } from '../sandbox.ts';
import { HIDDEN_IN_HOME } from './hidden.ts';

export interface Enclosed {
  readonly sandbox: Sandbox;
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** Absolute paths of programs that it starts with. */
  readonly programs: readonly string[];
  /** A unix socket that leads out. */
  readonly socket?: string;
}

const TMP = '/tmp';
/** Root in a sandbox may work on files of others, as outside; without the rest it cannot mount, trace or create devices. */
const ROOTS_OWN = ['CAP_DAC_OVERRIDE', 'CAP_CHOWN', 'CAP_FOWNER'];
/** What programs need from `/run`, besides sockets: the resolver's settings, and the programs of NixOS. */
const NEEDED_OF_RUN = ['/run/systemd/resolve', '/run/resolvconf', '/run/current-system', '/run/wrappers'];

export function bubblewrapOptions(enclosed: Enclosed): readonly string[] {
  const { sandbox, cwd } = enclosed;
  return [
    ...['--die-with-parent', '--unshare-pid', '--unshare-ipc', '--unshare-uts'], // B5
    ...(sandbox.network.type === 'full' ? [] : ['--unshare-net']), // B4
    ...(process.getuid?.() === 0
      ? ['--cap-drop', 'ALL', ...ROOTS_OWN.flatMap((cap) => ['--cap-add', cap])]
      : []),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...['--tmpfs', TMP, '--setenv', 'TMPDIR', TMP],
    ...['--tmpfs', '/run', ...NEEDED_OF_RUN.flatMap(readOnly), '--remount-ro', '/run'],
    ...visibleInTmp(enclosed).flatMap(readOnly),
    // The checkout that a worktree belongs to, if it is in `/tmp`.
    ...readOnly(dirname(sandbox.records)),
    ...(sandbox.level === 'read-only' ? readOnly(sandbox.workspace) : writable(sandbox.workspace)),
    ...(sandbox.level === 'read-only' ? [] : readOnly(sandbox.records)),
    ...workFolder(sandbox),
    ...gitIn(sandbox),
    ...hidden(enclosed),
    ...sandbox.state.filter(fs.existsSync).flatMap(writable),
    ...(enclosed.socket === undefined ? [] : readOnly(enclosed.socket)),
    ...['--chdir', cwd],
  ];
}

function readOnly(path: string): readonly string[] {
  return ['--ro-bind-try', path, path];
}

function writable(path: string): readonly string[] {
  return ['--bind', path, path];
}

/** Programs, and a home, that are in `/tmp` themselves: of those, the folder directly in `/tmp`. */
function visibleInTmp({ programs, env }: Enclosed): readonly string[] {
  const named = [...programs, ...(env['PATH'] ?? '').split(delimiter), env['HOME'] ?? ''];
  const found = named.filter((path) => path.startsWith('/')).flatMap((path) => [path, realPath(path)]);
  const entries = found.flatMap((path) => {
    const [name] = resolve(path).startsWith(TMP + sep)
      ? resolve(path)
          .slice(TMP.length + 1)
          .split(sep)
      : [];
    return name === undefined ? [] : [join(TMP, name)];
  });
  return [...new Set(entries)];
}

/** B2. A folder that is mounted cannot be renamed, and another one put in its place. The file of a linked worktree leads to the settings. */
function gitIn({ level, workspace }: Sandbox): readonly string[] {
  if (level === 'read-only') return [];
  const git = realPath(join(workspace, '.git'));
  const found = fs.lstatSync(git, { throwIfNoEntry: false });
  if (found === undefined || !isInside(workspace, git)) return [];
  if (!found.isDirectory()) return readOnly(git);
  const settings = ['hooks', 'config', 'config.worktree'].map((name) => join(git, name));
  return [...writable(git), ...settings.filter(fs.existsSync).flatMap(readOnly)];
}

/** A workspace of its own, such as a worktree, may lie among the records. */
function workFolder({ level, workspace, records }: Sandbox): readonly string[] {
  return level === 'workspace-write' && isInside(records, workspace) ? writable(workspace) : [];
}

/** B3. A folder that contains the workspace, or what the agent needs, cannot be hidden. */
function hidden({ sandbox, env }: Enclosed): readonly string[] {
  const home = env['HOME'];
  if (home === undefined || !home.startsWith('/')) return [];
  const needed = [sandbox.workspace, ...sandbox.state];
  return HIDDEN_IN_HOME.map((name) => join(home, name)).flatMap((path) => {
    if (needed.some((each) => isInside(path, each))) return [];
    const found = fs.statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    const real = realPath(path);
    return found.isDirectory() ? ['--tmpfs', real, '--remount-ro', real] : ['--ro-bind', '/dev/null', real];
  });
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function realPath(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return join(safeReal(dirname(path)), path.slice(dirname(path).length));
  }
}

function safeReal(folder: string): string {
  return fs.existsSync(folder) ? fs.realpathSync(folder) : folder;
}
