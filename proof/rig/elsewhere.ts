/** Runs a command as on another machine, or on this one after a restart: in namespaces of its own. For root on Linux. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** The differences from here. */
export interface Elsewhere {
  readonly host?: string;
  readonly bootId?: string;
  /** Empty if there is none. */
  readonly machineId?: string;
  /** As in a sandbox that hides processes. */
  readonly emptyProc?: boolean;
  /** A container: pids count from 1. */
  readonly ownPids?: boolean;
}

/** The prefix of a command line. `scratch` is a folder for this use only. */
export function elsewhere(scratch: string, place: Elsewhere): readonly string[] {
  const cover = (target: string, text: string): string => {
    const file = path.join(scratch, `${target.replaceAll('/', '-')}-${text}`);
    fs.writeFileSync(file, text === '' ? '' : `${text}\n`);
    return `mount --bind '${file}' ${target}`;
  };
  const empty = path.join(scratch, 'empty');
  fs.mkdirSync(empty, { recursive: true });
  const script = [
    'set -e',
    ...(place.host === undefined ? [] : [`echo ${place.host} > /proc/sys/kernel/hostname`]),
    ...(place.bootId === undefined ? [] : [cover('/proc/sys/kernel/random/boot_id', place.bootId)]),
    ...(place.machineId === undefined ? [] : [cover('/etc/machine-id', place.machineId)]),
    ...(place.emptyProc === true ? [`mount --bind '${empty}' /proc`] : []),
    'exec "$@"',
  ];
  const pids = place.ownPids === true ? ['--pid', '--fork', '--kill-child', '--mount-proc'] : [];
  return ['unshare', '--mount', '--uts', ...pids, 'sh', '-c', script.join('\n'), 'sh'];
}

/** Why it cannot be done here; undefined if it can. */
export function whyNotElsewhere(): string | undefined {
  if (process.platform !== 'linux') return 'namespaces need Linux';
  if (process.getuid?.() !== 0) return 'creating namespaces needs root';
  if (!fs.existsSync('/etc/machine-id')) return 'this machine has no /etc/machine-id to replace';
  const tried = spawnSync('unshare', ['--mount', '--uts', '--pid', '--fork', '--mount-proc', 'true']);
  return tried.status === 0 ? undefined : 'namespaces cannot be created here';
}

/** Whether only one running system at a time can have it mounted. */
export function isLocalDisk(folder: string): boolean {
  const { stdout } = spawnSync('stat', ['-f', '-c', '%T', folder], { encoding: 'utf8' });
  return ['ext2/ext3', 'xfs', 'btrfs', 'f2fs', 'bcachefs', 'zfs', 'tmpfs'].includes(stdout.trim());
}
