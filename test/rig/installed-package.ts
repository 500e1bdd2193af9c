/** The package as npm installs it: packed from this checkout, then installed from the tarball into an empty folder, offline. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

export interface InstalledPackage {
  readonly tarball: string;
  /** As `npm pack` lists them. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** The folder that contains `node_modules`. */
  readonly prefix: string;
  /** What npm printed during the installation. */
  readonly stderr: string;
  /** The file of a command, as a shell would find it. */
  command(name: string): string;
}

/** Installed once for the tests of a file. */
export function installedPackage(): InstalledPackage {
  const installed = { tarball: '', files: [], prefix: '', stderr: '', command };
  let folder = '';
  beforeAll(() => {
    folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-package-')));
    const [packed] = JSON.parse(
      npm(ROOT, ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], folder).stdout,
    );
    installed.tarball = path.join(folder, packed.filename);
    installed.files = packed.files;
    installed.prefix = path.join(folder, 'prefix');
    fs.mkdirSync(installed.prefix);
    const args = ['install', '--offline', '--no-audit', '--no-fund', installed.tarball];
    installed.stderr = npm(installed.prefix, args, folder).stderr;
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  function command(name: string): string {
    return fs.realpathSync(path.join(installed.prefix, 'node_modules', '.bin', name));
  }
  return installed;
}

/** npm without the settings of this machine, and with an empty cache. */
function npm(cwd: string, args: readonly string[], home: string): { stdout: string; stderr: string } {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, npm_config_globalconfig: os.devNull };
  const ran = spawnSync('npm', args, { cwd, env, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`npm ${args[0]} failed:\n${ran.stderr}`);
  return ran;
}
