/** The real Claude Code uses the server as it would any other. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BINARY, PhasesSite } from '../phases/site.ts';
import { CLAUDE_197, CLAUDE_325, cleanEnvironment } from '../real-clis/clis.ts';
import { installClis } from '../real-clis/install.ts';
import { startModelServer } from '../rig/model-server/server.ts';

beforeAll(installClis, 15 * 60_000);

describe.each([CLAUDE_325, CLAUDE_197])('with $label', { timeout: 180_000 }, (cli) => {
  it('reports a phase through a tool of the server', async () => {
    const site = new PhasesSite();
    await site.create('First', 'Second');
    await site.phases('start');
    site.write({
      'mcp.json': JSON.stringify({
        mcpServers: { orchestrate: { command: process.execPath, args: [BINARY, 'mcp'] } },
      }),
    });
    const server = await startModelServer([
      { type: 'tool', name: 'mcp__orchestrate__workflow_get', input: {} },
      {
        type: 'tool',
        name: 'mcp__orchestrate__phase_complete',
        input: { phase: 'phase_0', deliverables: ['first.txt'], context: 'it is done' },
      },
      { type: 'text', text: 'Reported.' },
    ]);
    onTestFinished(() => server.close());
    const home = join(site.folder, 'home');
    fs.mkdirSync(home);
    const [program = '', ...first] = cli.command();
    const flags = ['-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'];
    const child = spawn(program, [...first, ...flags, '--mcp-config', 'mcp.json', '--strict-mcp-config'], {
      cwd: site.folder,
      env: { ...cleanEnvironment(home), ...cli.settle({ home, url: server.url }) },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
      });
    }
    child.stdin.end('Report what you did.');
    expect(await new Promise((resolve) => child.once('close', resolve)), said).toBe(0);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('it is done');
    expect(site.document()).toMatchObject({
      current_phase: 'phase_1',
      phases: [{ status: 'completed', deliverables: ['first.txt'], context_for_next: 'it is done' }, {}],
    });
    expect(site.history().at(-1)).toMatchObject({ by: 'mcp' });
  });
});
