/** The real CLIs in a sandbox: they reach their model and the workspace, and nothing else. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { CliWorkspace } from './cli-workspace.ts';
import { CLAUDE_197, CLAUDE_325, CODEX, COPILOT, GEMINI, OPENCODE, QWEN } from './clis.ts';
import { installClis } from './install.ts';

const HAS_BUBBLEWRAP = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

beforeAll(installClis, 15 * 60_000);

/** A made-up ordinary user, for whom bubblewrap needs user namespaces. */
const UID = 48_612;
const ALLOWS_ORDINARY =
  process.getuid?.() === 0 &&
  spawnSync('bwrap', ['--unshare-pid', '--ro-bind', '/', '/', 'true'], { uid: UID, gid: UID }).status === 0;

const USERS = [
  { who: 'the user of the tests', uid: undefined, isPossible: HAS_BUBBLEWRAP },
  { who: 'an ordinary user', uid: UID, isPossible: HAS_BUBBLEWRAP && ALLOWS_ORDINARY },
];

describe.each(
  [CLAUDE_325, CLAUDE_197, GEMINI, CODEX, OPENCODE, COPILOT, QWEN].flatMap((cli) =>
    USERS.map((user) => ({ cli, ...user })),
  ),
)('$cli.name $cli.version in a sandbox, as $who', { timeout: 180_000 }, ({ cli, uid, isPossible }) => {
  it.skipIf(!isPossible)(
    'works on the workspace, cannot write or read outside, and reaches only its model',
    async () => {
      const site = new CliWorkspace([cli], {});
      const { workspace } = site;
      if (uid !== undefined) site.runAs(uid);
      onTestFinished(() => site.expectNothingLeft());
      const outside = temporaryFolder();
      const escaped = path.join(outside, 'escaped.txt');
      if (uid !== undefined) fs.chownSync(outside, uid, uid);
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
      // Codex and opencode have the address of their model in their settings.
      workspace.write({
        'w.yaml': `steps:
  - name: Ask
    provider: ${cli.name}
    prompt: Do it.
    permissions: bypass
    sandbox: workspace-write
    allow_hosts: [${cli.name === 'codex' || cli.name === 'opencode' ? `"${new URL(server.url).host}"` : ''}]
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
    },
  );
});

/** A proxy that needs a password, and knows one name: that of the model. */
async function startProxy(
  model: string,
): Promise<{ readonly url: string; readonly seen: readonly string[] }> {
  const seen: string[] = [];
  const wanted = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
  const { port } = new URL(model);
  const isKnown = (request: http.IncomingMessage, host: string): boolean => {
    seen.push(`${request.method} ${host}`);
    return request.headers['proxy-authorization'] === wanted && host === 'model.invalid';
  };
  const proxy = http.createServer((request, response) => {
    const { hostname, pathname, search } = new URL(request.url ?? '');
    if (!isKnown(request, hostname)) return void response.writeHead(407).end();
    const { method, headers } = request;
    const options = { host: '127.0.0.1', port, path: `${pathname}${search}`, method, headers };
    const upstream = http.request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    request.pipe(upstream);
  });
  proxy.on('connect', (request, client) => {
    client.on('error', () => client.destroy());
    if (!isKnown(request, request.url?.split(':')[0] ?? ''))
      return void client.end('HTTP/1.1 407 No\r\n\r\n');
    const upstream = net.connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  );
  return { url: `http://me:p%40ss@127.0.0.1:${(proxy.address() as net.AddressInfo).port}`, seen };
}

describe.skipIf(!HAS_BUBBLEWRAP).each([CLAUDE_325, GEMINI])(
  '$name $version in a sandbox, behind a proxy of the user',
  { timeout: 180_000 },
  (cli) => {
    it('reaches its model through it, and the password is not visible inside', async () => {
      const site = new CliWorkspace([cli], {
        'w.yaml': `steps:\n  - {name: Ask, provider: ${cli.name}, prompt: Do it., permissions: bypass, sandbox: workspace-write}\n`,
      });
      onTestFinished(() => site.expectNothingLeft());
      const server = await site.serve([
        cli.tools.shell('env | grep -i proxy; cat /proc/*/environ | tr "\\0" "\\n" | grep -i proxy'),
        { type: 'text', text: 'Done.' },
      ]);
      const proxy = await startProxy(server.url);
      const url = server.url.replace('127.0.0.1', 'model.invalid');
      const variables = {
        CLAUDE_CODE_TMPDIR: '/tmp',
        [cli.name === 'claude' ? 'ANTHROPIC_BASE_URL' : 'GOOGLE_GEMINI_BASE_URL']: url,
        ...{ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: 'example.org' },
      };
      const ended = await site.run(['run', 'w.yaml', '--trust'], server, { trusted: true, variables });
      expect(ended.exitCode, ended.stderr).toBe(0);
      expect(site.workspace.step('Ask')).toMatchObject({ outcome: 'done', output: 'Done.' });
      expect(proxy.seen.length).toBeGreaterThanOrEqual(2);
      expect(new Set(proxy.seen.map((line) => line.split(' ')[1]))).toEqual(new Set(['model.invalid']));
      const told = server.requests.map(({ body }) => JSON.stringify(body)).join('\n');
      expect(told).toContain('HTTPS_PROXY=http://127.0.0.1:3128');
      expect(told).not.toMatch(/p@ss|p%40ss/);
    });
  },
);
