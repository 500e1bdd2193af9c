/** Every rule of the guard (S1–S11), over real sockets. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { type Reply, type RunningPage, servePage } from '../rig/page-server.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const HELLO = 'name: hello\nsteps:\n  - name: Say\n    command: [echo, hello]\n';
const LIST = '/api/v1/workspaces';

const ON_EVERY_ANSWER = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

async function servedHello(argv: readonly string[] = []) {
  const workspace = new Workspace({ 'hello.yaml': HELLO });
  await workspace.run(['run', 'hello.yaml', '--quiet']);
  const page = await servePage(workspace, argv);
  const [runId = ''] = workspace.runs();
  return { workspace, page, runId };
}

describe('S1: the address it listens on', () => {
  it('is loopback, unless other machines are allowed to reach it by a named address', async () => {
    const workspace = new Workspace();
    const alone = await workspace.run(['serve', '--host', '0.0.0.0', '--port', '0']);
    expect(alone.exitCode).toBe(2);
    expect(alone.stderr).toBe(
      'error: other machines could reach the page on 0.0.0.0\nhelp: if that is what you want, add `--allow-remote --public-url <url>`\n',
    );
    const unnamed = await workspace.run(['serve', '--host', '0.0.0.0', '--allow-remote', '--port', '0']);
    expect(unnamed.exitCode).toBe(2);
    expect(unnamed.stderr).toContain('`--allow-remote` needs `--public-url`');
    const page = await servePage(workspace);
    expect(listeningAddresses(page.port)).toEqual(['0100007F']);
  });
});

describe('S2 and S3: host and origin', () => {
  it('refuses every host but its own', async () => {
    const { page } = await servedHello();
    const { port } = page;
    const status = async (host: string) => (await page.ask(LIST, { headers: { host } })).status;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
      expect(await status(host), host).toBe(200);
    for (const host of ['127.0.0.1', 'localhost', `evil.example:${port}`, `127.0.0.1:${port + 1}`])
      expect(await status(host), host).toBe(403);
    expect((await page.ask('/', { headers: { host: `rebound.example:${port}` } })).status).toBe(403);
  });

  it('refuses requests of other pages', async () => {
    const { page } = await servedHello();
    const status = async (headers: { readonly [name: string]: string }) =>
      (await page.ask(LIST, { headers })).status;
    expect(await status({ origin: `http://127.0.0.1:${page.port}` })).toBe(200);
    expect(await status({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    for (const origin of [`http://127.0.0.1:${page.port + 1}`, 'null', 'https://evil.example'])
      expect(await status({ origin }), origin).toBe(403);
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(await status({ 'sec-fetch-site': site }), site).toBe(403);
  });

  it('serves the public address as well, read-only', async () => {
    const { page, runId } = await servedHello([
      ...['--host', '0.0.0.0', '--allow-remote', '--public-url', 'https://runs.example.com'],
    ]);
    expect(page.url.startsWith('https://runs.example.com/#token=')).toBe(true);
    const headers = { host: 'runs.example.com', origin: 'https://runs.example.com' };
    expect((await page.ask(LIST, { headers })).body).toMatchObject({ read_only: true });
    expect(await page.act({ command: 'cancel', run: runId })).toMatchObject({ status: 403 });
  });
});

describe('S4 and S5: the token', () => {
  it('is needed for every request of the API, the stream included', async () => {
    const { page, runId } = await servedHello();
    for (const address of [
      LIST,
      '/api/v1/events?topics=runs',
      `${page.ws}/runs/${runId}`,
      '/api/v1/nothing',
      // The same addresses for a route that decodes them.
      LIST.replace('/api', '/%61pi'),
      '/ap%69/v1/events?topics=runs&wait=0',
      `${page.ws.replace('/api', '/%61%70%69')}/runs/${runId}`,
    ]) {
      const missing = await page.ask(address, { headers: { authorization: undefined } });
      expect(missing.status, address).toBe(401);
      const wrong = await page.ask(address, { headers: { authorization: `Bearer ${'x'.repeat(43)}` } });
      expect(wrong.status, address).toBe(401);
    }
    const posted = await page.ask(`${page.ws}/actions`, {
      ...{ method: 'POST', body: '{}', headers: { authorization: undefined } },
    });
    expect(posted.status).toBe(401);
  });

  it('is random, is kept for the user alone, and survives a restart', async () => {
    const { workspace, page } = await servedHello();
    const file = path.join(workspace.folder, '.local/state/orchestrate/serve-token');
    expect(fs.readFileSync(file, 'utf8')).toBe(`${page.token}\n`);
    expect(Buffer.from(page.token, 'base64url')).toHaveLength(32);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    page.started.child.kill('SIGTERM');
    await page.started.ended;
    expect((await servePage(workspace)).token).toBe(page.token);
    const other = new Workspace();
    expect((await servePage(other)).token).not.toBe(page.token);
  });

  it('is only in the fragment of the address, which no browser sends', async () => {
    const { page } = await servedHello();
    expect(page.url).toBe(`http://127.0.0.1:${page.port}/#token=${page.token}`);
  });
});

describe('S6: what may be sent', () => {
  it('is JSON of at most 64 KiB, and nothing gets a CORS header', async () => {
    const { page } = await servedHello();
    const post = (type: string | undefined, body = '{}') =>
      page.ask(`${page.ws}/actions`, { method: 'POST', headers: { 'content-type': type }, body });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', undefined])
      expect((await post(type)).status, type).toBe(415);
    expect((await post('application/json', JSON.stringify({ command: 'x'.repeat(70_000) }))).status).toBe(
      413,
    );
    expect((await post('application/json', '[1')).status).toBe(400);
    const reply = await post('application/json; charset=utf-8', '{"command":"nothing"}');
    expect(reply.body).toMatchObject({ ok: false, problem: { kind: 'invalid' } });
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    const asked = await page.ask(LIST, { method: 'OPTIONS', headers: { origin: undefined } });
    expect(asked.status).toBe(405);
  });
});

it('S7: every answer forbids scripts of others, frames and guessing of types', async () => {
  const { page, runId } = await servedHello();
  const run = `${page.ws}/runs/${runId}`;
  const replies = await Promise.all([
    ...['/', '/app.js', '/nothing.js', LIST, run, `${run}/steps/Say/log`, '/%00'].map((address) =>
      page.ask(address),
    ),
    page.ask(LIST, { headers: { authorization: undefined } }),
    page.ask(LIST, { headers: { host: 'evil.example' } }),
    page.act({ command: 'nothing' }),
    openStream(page),
  ]);
  for (const { headers, status } of replies) {
    expect(headers['content-security-policy'], `${status}`).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers, `${status}`).toMatchObject(ON_EVERY_ANSWER);
  }
  expect(replies.map(({ status }) => status)).toEqual([
    200, 200, 404, 200, 200, 200, 400, 401, 403, 400, 200,
  ]);
  // It is downloaded, and has styles in itself.
  const report = await page.ask(`${run}/report.html`);
  expect(report.headers).toMatchObject({
    ...ON_EVERY_ANSWER,
    'content-disposition': `attachment; filename="${runId}.html"`,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  });
});

describe('S8: ids, keys and files', () => {
  it('never leave the run', async () => {
    const { workspace, page, runId } = await servedHello();
    fs.writeFileSync(path.join(workspace.folder, 'secret.txt'), 'outside');
    for (const id of ['..%2f..%2f', '..%252f..', `${runId}%2f..`, 'x', `${runId}%00`, '%', `..%2f${runId}`]) {
      const { status, text } = await page.get(`runs/${id}`);
      expect([400, 404], id).toContain(status);
      expect(text).not.toContain('outside');
    }
    for (const key of ['..%2f..%2fsecret.txt', 'Say%2f..%2f..', 'Nothing', '%2e%2e', 'Say%00'])
      for (const aspect of ['', '/log', '/prompt', '/transcript'])
        expect([400, 404], key).toContain((await page.get(`runs/${runId}/steps/${key}${aspect}`)).status);
    for (const address of ['/%00', '/%1b', '/%7f', '/%', `${page.ws}/runs/%0a`])
      expect((await page.ask(address)).status, address).toBe(400);
    expect((await page.get(`runs/${runId}/steps/Say/log`)).text).toBe('hello\n');
  });

  it('do not lead to conversations of another folder', async () => {
    const { workspace, page } = await servedHello();
    const outside = temporaryFolder();
    fs.mkdirSync(path.join(workspace.folder, 'inside'));
    fs.symlinkSync(outside, path.join(workspace.folder, 'linked'));
    for (const dir of [encodeURIComponent(outside), '..', 'inside/../..', 'linked', 'inside%00'])
      expect((await page.get(`conversations?dir=${dir}`)).status, dir).toBe(404);
    expect((await page.get('conversations?dir=inside')).status).toBe(200);
  });

  it('are not followed through links, pipes or folders of other runs', async () => {
    const { workspace, page, runId } = await servedHello();
    const outside = path.join(workspace.folder, 'secret.txt');
    fs.writeFileSync(outside, 'outside');
    const log = path.join(workspace.runFolder(), 'logs', 'Say.stdout');
    const step = `runs/${runId}/steps/Say`;
    for (const put of [
      () => fs.symlinkSync(outside, log),
      () => execFileSync('mkfifo', [log]),
      () => fs.mkdirSync(log),
    ]) {
      fs.rmSync(log, { recursive: true });
      put();
      for (const aspect of ['log', 'log/search?q=outside', 'log?from=-1'])
        expect((await page.get(`${step}/${aspect}`)).status, aspect).toBe(404);
      const { logs } = (await page.get(step)).body;
      expect(logs.every(({ bytes }: { readonly bytes: number }) => bytes === 0)).toBe(true);
    }
    const linked = `${runId.slice(0, -6)}aaaaaa`;
    fs.symlinkSync(workspace.runFolder(), path.join(workspace.folder, '.orchestrate/runs', linked));
    expect((await page.get(`runs/${linked}`)).status).toBe(404);
  });

  it('are not followed through links for what an agent was sent and said', async () => {
    const workspace = new Workspace({
      'ask.yaml': 'name: ask\nsteps:\n  - {name: Ask, provider: mock, prompt: "Say hello."}\n',
      'secret.txt': 'outside',
    });
    await workspace.run(['run', 'ask.yaml', '--quiet']);
    const page = await servePage(workspace);
    const step = `runs/${workspace.runs()[0]}/steps/Ask`;
    const { logs } = (await page.get(step)).body;
    const folders = { stdout: 'logs', prompt: 'prompts', response: 'responses' } as const;
    for (const [stream, aspect] of [
      ['stdout', 'transcript'],
      ['prompt', 'prompt'],
      ['response', 'response'],
    ] as const) {
      expect((await page.get(`${step}/${aspect}`)).status, aspect).toBe(200);
      const { name } = logs.find((log: { readonly stream: string }) => log.stream === stream);
      const file = path.join(workspace.runFolder(), folders[stream], name);
      fs.rmSync(file);
      fs.symlinkSync(path.join(workspace.folder, 'secret.txt'), file);
      expect(await page.get(`${step}/${aspect}`), aspect).toMatchObject({
        status: 404,
        text: expect.not.stringContaining('outside'),
      });
    }
  });
});

it('S9: a read-only page changes nothing', async () => {
  const { page, runId } = await servedHello(['--read-only']);
  expect((await page.ask(LIST)).body).toMatchObject({ read_only: true });
  for (const command of ['cancel', 'resume', 'approve', 'run', 'clean'])
    expect(await page.act({ command, run: runId, file: 'hello.yaml', days: 0 })).toMatchObject({
      status: 403,
      body: { ok: false, said: 'This page is read-only.' },
    });
});

it('S9: other machines may change something only with `--allow-actions`', async () => {
  const remote = ['--host', '0.0.0.0', '--allow-remote', '--public-url', 'https://runs.example.com'];
  const { page, runId } = await servedHello([...remote, '--allow-actions']);
  const headers = { host: 'runs.example.com', origin: 'https://runs.example.com' };
  expect((await page.ask(LIST, { headers })).body).toMatchObject({ read_only: false });
  const body = JSON.stringify({ command: 'cancel', run: runId });
  const cancelled = await page.ask(`${page.ws}/actions`, { method: 'POST', body, headers });
  expect(cancelled.body).toMatchObject({ ok: true, said: 'The run has already ended (completed).' });
});

describe('S10: too much', () => {
  it('slows down guessing, and never locks out the right token', async () => {
    const { page } = await servedHello();
    const guess = async (authorization: string | undefined) =>
      (await page.ask(LIST, { headers: { authorization } })).status;
    for (let tried = 0; tried < 30; tried += 1) expect(await guess(undefined)).toBe(401);
    const wrong: number[] = [];
    for (let tried = 0; tried < 25; tried += 1) wrong.push(await guess('Bearer wrong'));
    expect(wrong).toEqual([...Array(20).fill(401), ...Array(5).fill(429)]);
    expect((await page.ask(LIST)).status).toBe(200);
  });

  it('ends requests that are not finished in time, and no stream', async () => {
    const { page } = await servedHello();
    const host = `Host: 127.0.0.1:${page.port}\r\nAuthorization: Bearer ${page.token}`;
    const all = [
      ['headers', `GET ${LIST} HTTP/1.1\r\nHost: 127.0.0.1`],
      [
        'body',
        `POST ${page.ws}/actions HTTP/1.1\r\n${host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      ],
      ['stream', `GET /api/v1/events?topics=runs HTTP/1.1\r\n${host}\r\n\r\n`],
    ] as const;
    const isOpen = new Map<string, net.Socket>();
    const said = new Map<string, string>();
    const closed = all.map(
      ([name, text]) =>
        new Promise<string>((resolve) => {
          const socket = net.connect(page.port, '127.0.0.1', () => socket.write(text));
          onTestFinished(() => void socket.destroy());
          isOpen.set(name, socket);
          socket.on('data', (chunk) => said.set(name, `${said.get(name) ?? ''}${chunk}`));
          socket.on('error', () => {});
          socket.on('close', () => resolve(name));
        }),
    );
    expect(await Promise.all(closed.slice(0, 2))).toEqual(['headers', 'body']);
    for (const name of ['headers', 'body']) expect(said.get(name)).toMatch(/^HTTP\/1\.1 408 /);
    // A stream is finished as a request, and stays open.
    expect(isOpen.get('stream')?.readyState).toBe('open');
    expect(said.get('stream')).toMatch(/^HTTP\/1\.1 200 /);
    expect((await page.ask(LIST)).status).toBe(200);
  }, 60_000);

  it('opens at most 64 streams', async () => {
    const { page } = await servedHello();
    const address = `http://127.0.0.1:${page.port}/api/v1/events?topics=runs`;
    const headers = { authorization: `Bearer ${page.token}` };
    // Whoever asks for the headers alone gets no stream.
    expect(await fetch(address, { method: 'HEAD', headers })).toMatchObject({ status: 405 });
    const streams = await Promise.all(
      Array.from({ length: 64 }, async () => {
        const ended = new AbortController();
        const stream = await fetch(address, { headers, signal: ended.signal });
        return { status: stream.status, ended };
      }),
    );
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const one = await page.ask('/api/v1/events?topics=runs');
    expect(one).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    for (const { ended } of streams) ended.abort();
  });
});

it('S11: no answer holds the environment or a secret', async () => {
  const workspace = new Workspace({
    'secret.yaml':
      'name: secret\nsteps:\n  - name: Use\n    command: [bash, -c, "echo \\"key $API_KEY\\"; echo \\"plain $PLAIN\\""]\n    secrets: [API_KEY]\n    env: {PLAIN: printed, UNPRINTED: only-for-the-step}\n',
  });
  const env = { API_KEY: 'sk-very-secret-value', UNRELATED: 'of-the-environment' };
  await workspace.run(['run', 'secret.yaml', '--quiet'], { env });
  const page = await servePage(workspace, [], { env });
  const [runId = ''] = workspace.runs();
  const paths = ['', '/steps', '/steps/Use', '/steps/Use/log', '/flow', '/timeline', '/why', '/report.html'];
  const texts = await Promise.all(paths.map((each) => page.get(`runs/${runId}${each}`)));
  const lists = await Promise.all(['runs', 'inbox', 'workflows', 'costs'].map((each) => page.get(each)));
  for (const { status, text } of [...texts, ...lists]) {
    expect(status).toBe(200);
    expect(text).not.toContain('sk-very-secret-value');
    expect(text).not.toContain('of-the-environment');
    expect(text).not.toContain('only-for-the-step');
  }
});

/** The start of the stream of events. */
function openStream({ port, token }: RunningPage): Promise<Pick<Reply, 'status' | 'headers'>> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = http.get(
      { host: '127.0.0.1', port, path: '/api/v1/events?topics=runs', headers, agent: false },
      (response) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
        request.destroy();
      },
    );
    request.on('error', reject);
  });
}

/** The local addresses of listening sockets with this port, as the kernel writes them. */
function listeningAddresses(port: number): readonly string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local = '', , state]) => local.endsWith(`:${wanted}`) && state === '0A')
      .map(([, local = '']) => local.split(':')[0] ?? ''),
  );
}
