/** The real CLIs in a sandbox: they reach their model and the workspace, and nothing else. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { CliWorkspace } from './cli-workspace.ts';
import { CLAUDE_197, CLAUDE_325, CODEX, GEMINI } from './clis.ts';
import { installClis } from './install.ts';

const HAS_BUBBLEWRAP = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

beforeAll(installClis, 15 * 60_000);

describe.skipIf(!HAS_BUBBLEWRAP).each([CLAUDE_325, CLAUDE_197, GEMINI, CODEX])(
  '$name $version in a sandbox',
  { timeout: 180_000 },
  (cli) => {
    it('works on the workspace, cannot write or read outside, and reaches only its model', async () => {
      const site = new CliWorkspace([cli], {});
      const { workspace } = site;
      onTestFinished(() => site.expectNothingLeft());
      const outside = temporaryFolder();
      const escaped = path.join(outside, 'escaped.txt');
      const elsewhere = `/var/tmp/orchestrate-${randomUUID()}.txt`;
      const other = net.createServer((client) => client.on('error', () => {}).end('SECRET'));
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void other.close());
      const { port } = other.address() as net.AddressInfo;
      const inside = path.join(workspace.folder, 'inside.txt');
      const server = await site.serve([
        cli.tools.write(inside, 'by tool'),
        cli.tools.shell(
          `echo by shell > ${workspace.folder}/shell.txt; echo x > ${elsewhere}; echo x > "$HOME/escaped.txt"`,
        ),
        cli.tools.shell(
          `(cat < /dev/tcp/127.0.0.1/${port}) 2>&1; cat "$HOME/.ssh/id" 2>&1; ls ${outside} 2>&1`,
        ),
        cli.tools.write(elsewhere, 'by tool'),
        { type: 'text', text: 'Done.' },
      ]);
      // Codex has the address of its model in its settings.
      workspace.write({
        'w.yaml': `steps:
  - name: Ask
    provider: ${cli.name}
    prompt: Do it.
    permissions: bypass
    sandbox: workspace-write
    allow_hosts: [${cli.name === 'codex' ? `"${new URL(server.url).host}"` : ''}]
    expect: {files: [inside.txt, shell.txt]}
`,
      });
      const variables = { CLAUDE_CODE_TMPDIR: '/tmp' };
      const ended = await site.run(['run', 'w.yaml', '--trust'], server, { trusted: true, variables });
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(workspace.read('inside.txt').trim()).toBe('by tool');
      expect(workspace.read('shell.txt')).toBe('by shell\n');
      expect(fs.existsSync(elsewhere)).toBe(false);
      expect(fs.existsSync(escaped)).toBe(false);
      const told = server.requests.map(({ body }) => JSON.stringify(body)).join('\n');
      // Once for each file outside, by shell and by tool.
      expect((told.match(/EROFS|read-only file system/gi) ?? []).length).toBeGreaterThanOrEqual(3);
      expect(told.includes('SECRET')).toBe(false);
      expect(workspace.step('Ask').outcome).toBe('done');
    });
  },
);
