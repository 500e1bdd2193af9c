/**
 * Installs the real CLIs into `node_modules` here, once, when a test first needs them. They are pinned by the lock file of this
 * folder and are not installed with the product: together they take about a gigabyte.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const CLIS_FOLDER = join(findRepository(), 'test', 'real-clis');

const LONGEST_INSTALL_MS = 15 * 60_000;

/** The versions of Node that some CLIs need. */
export const NODES_FOLDER = join(findRepository(), 'test', 'nodes');

export async function installClis(): Promise<void> {
  await installPackages(CLIS_FOLDER);
  await installPackages(NODES_FOLDER);
}

/** Installs the packages of a folder's lock file. If several test files call it at once, one installs and the others wait. */
export async function installPackages(folder: string): Promise<void> {
  const digest = createHash('sha256')
    .update(fs.readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(folder, 'node_modules', `.installed-${digest.slice(0, 16)}`);
  const lock = join(folder, '.installing');
  const giveUpAt = Date.now() + LONGEST_INSTALL_MS;
  while (!fs.existsSync(stamp)) {
    if (Date.now() > giveUpAt)
      throw new Error(
        `nothing is installed in \`${folder}\`; remove \`${lock}\` if nothing is installing them`,
      );
    if (!takeLock(lock)) {
      await delay(500);
      continue;
    }
    try {
      if (!fs.existsSync(stamp)) await install(folder, stamp);
    } finally {
      fs.rmSync(lock, { force: true });
    }
  }
}

async function install(folder: string, stamp: string): Promise<void> {
  // The packages contain their binaries; their scripts only link them. One of them asks for a newer Node than it needs.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', args, { cwd: folder, timeout: LONGEST_INSTALL_MS });
  fs.writeFileSync(stamp, '');
}

/** The lock contains the pid of its owner; it is free if that process has ended. */
function takeLock(lock: string): boolean {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const owner = Number(fs.existsSync(lock) ? fs.readFileSync(lock, 'utf8') : 0);
    if (owner > 0 && !isAlive(owner)) fs.rmSync(lock, { force: true });
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function findRepository(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!fs.existsSync(join(folder, 'biome.json'))) {
    if (folder === dirname(folder)) throw new Error('this is not inside the repository');
    folder = dirname(folder);
  }
  return folder;
}
