/** `serve install`: the system starts the page and the keeper. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isOwnText, unitFor } from '../../src/operations/serving/unit-text.ts';
import { workspaceId } from '../../src/operations/serving/workspace-id.ts';
import { BINARY, Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';

function unitName(workspace: Workspace): string {
  return `orchestrate-${workspaceId(workspace.folder)}.service`;
}

describe('serve install', () => {
  it('writes a systemd user unit, says how to enable it, and changes nothing the second time', async () => {
    const workspace = new Workspace();
    const name = unitName(workspace);
    const file = `.config/systemd/user/${name}`;
    const first = await workspace.run(['serve', 'install', '--port', '4800']);
    expect(first).toMatchObject({
      exitCode: 0,
      stdout: `${path.join(workspace.folder, file)}\n`,
    });
    expect(first.stderr.replace(/ +#/g, ' #')).toBe(
      `Written. To use it:
  systemctl --user daemon-reload # reads the new file
  systemctl --user enable --now ${name} # starts it, now and at every login
  loginctl enable-linger # starts it when the machine starts, without a login
  journalctl --user --unit ${name} # shows what the keeper does
\`orchestrate serve --address\` prints the address of the page, with its token.
`,
    );
    const text = workspace.read(file);
    expect(text).toContain(
      `\nExecStart=${process.execPath} ${fs.realpathSync(BINARY)} serve --port 4800 ${workspace.folder}\nWorkingDirectory=${workspace.folder}\n`,
    );
    // Stopping the server must not stop the runs.
    expect(text).toContain('\nKillMode=process\n');
    const again = await workspace.run(['serve', 'install', '--port', '4800']);
    expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Unchanged. To use it:\n') });
    // Its own file is replaced.
    await workspace.run(['serve', 'install', '--port', '4801']);
    expect(workspace.read(file)).toContain(' --port 4801 ');
    expect(await workspace.run(['serve', 'uninstall'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`systemctl --user disable --now ${name}`),
    });
    expect(workspace.has(file)).toBe(false);
    expect((await workspace.run(['serve', 'uninstall'])).stderr).toContain('There is no `');
  });

  it('never replaces or removes a file of the user, nor one that the user has changed', async () => {
    const workspace = new Workspace();
    const file = `.config/systemd/user/${unitName(workspace)}`;
    for (const change of [() => '[Service]\nExecStart=mine\n', (text: string) => text.replace('5', '60')]) {
      await workspace.run(['serve', 'install']);
      const text = change(workspace.has(file) ? workspace.read(file) : '');
      workspace.write({ [file]: text });
      for (const command of ['install', 'uninstall']) {
        const refused = await workspace.run([
          'serve',
          command,
          ...(command === 'install' ? ['--port', '1'] : []),
        ]);
        expect(refused.exitCode).toBe(2);
        expect(refused.stderr).toContain('was not written by Orchestrate, or was changed since');
        expect(workspace.read(file)).toBe(text);
      }
      workspace.remove(file);
    }
  });

  it('quotes folders and programs as systemd reads them', () => {
    const unit = unitFor('linux', {
      workspaces: ['/home/me/a b%c', '/x/$HOME"q'],
      program: ['/usr/bin/node', '/opt/o r/bin.js'],
      flags: [],
      environment: { HOME: '/home/me', PATH: '/usr/bin:/home/me/my bin' },
    });
    expect(unit?.text).toContain(
      '\nExecStart=/usr/bin/node "/opt/o r/bin.js" serve "/home/me/a b%%c" "/x/$$HOME\\"q"\nWorkingDirectory=/home/me/a b%%c\nEnvironment="PATH=/usr/bin:/home/me/my bin"\n',
    );
    expect(unit?.path).toMatch(
      /^\/home\/me\/\.config\/systemd\/user\/orchestrate-a_b_c-[0-9a-f]{6}\.service$/,
    );
    expect(isOwnText(unit?.text ?? '')).toBe(true);
    expect(isOwnText(`${unit?.text}\n`)).toBe(false);
    if (spawnSync('systemd-analyze', ['--version']).status === 0) {
      const { folder } = new Workspace({ 'orchestrate-x.service': unit?.text ?? '' });
      const file = path.join(folder, 'orchestrate-x.service');
      const env = { ...process.env, XDG_RUNTIME_DIR: folder };
      const verified = spawnSync('systemd-analyze', ['verify', '--user', file], { env, encoding: 'utf8' });
      expect(verified.stderr).toBe('');
    }
  });

  it('writes a launchd agent on macOS', () => {
    const unit = unitFor('darwin', {
      workspaces: ['/Users/me/a&b'],
      program: ['/usr/local/bin/node', '/o.js'],
      flags: ['--port', '0'],
      environment: { HOME: '/Users/me', PATH: '/usr/bin' },
    });
    expect(unit?.path).toMatch(
      /^\/Users\/me\/Library\/LaunchAgents\/run\.orchestrate\.a_b-[0-9a-f]{6}\.plist$/,
    );
    expect(unit?.text).toContain(
      '    <string>serve</string>\n    <string>--port</string>\n    <string>0</string>\n    <string>/Users/me/a&amp;b</string>\n  </array>',
    );
    expect(unit?.text).toContain('<key>AbandonProcessGroup</key>\n  <true/>');
    expect(isOwnText(unit?.text ?? '')).toBe(true);
    expect(unitFor('win32', { workspaces: [], program: [], flags: [], environment: {} })).toBe(null);
  });
});

it('serve --address prints the address of the server that runs, with its token', async () => {
  const workspace = new Workspace();
  expect(await workspace.run(['serve', '--address'])).toMatchObject({
    exitCode: 2,
    stderr: `error: no server serves ${workspace.folder}\nhelp: start one with \`orchestrate serve\`\n`,
  });
  const page = await servePage(workspace);
  expect(await workspace.run(['serve', '--address'])).toMatchObject({ exitCode: 0, stdout: `${page.url}\n` });
});
