/** Only the loop's tools are available: the CLI does not run its own tools when the model requests them. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CLAUDE_197, CLAUDE_325, type Cli, CODEX, cleanEnvironment, GEMINI } from '../real-clis/clis.ts';
import { installClis } from '../real-clis/install.ts';
import { startModelServer, type Turn } from '../rig/model-server/server.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { ask, Talk, text, WRITE_FILE } from './rig.ts';

beforeAll(() => installClis(), 15 * 60_000);

/** The user allows everything, and the folder has its own MCP server and hook. */
const ALLOWED = JSON.stringify({ permissions: { allow: ['Bash', 'Write', 'Edit'] } });

function answer(cli: Cli, content: readonly object[]): Turn {
  return cli.name === 'claude'
    ? { type: 'tool', name: 'StructuredOutput', input: { content } }
    : { type: 'text', text: JSON.stringify({ content }) };
}

function patch(file: string): Turn {
  const custom = `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\n`;
  return { type: 'tool', name: 'apply_patch', input: {}, custom };
}

describe('a conversation', { timeout: 180_000 }, () => {
  it.each([
    [CLAUDE_325, 'default'],
    [CLAUDE_325, 'bypass'],
    [CLAUDE_197, 'bypass'],
    [GEMINI, 'bypass'],
    [CODEX, 'default'],
    [CODEX, 'bypass'],
  ])('continues when $label tries its own tool, which is not run (%#)', async (cli, permissions) => {
    const outside = temporaryFolder();
    const canary = (name: string) => path.join(outside, name);
    const talk = new Talk({
      says: [],
      tools: [WRITE_FILE],
      workflow: { agent: { name: cli.name, command: cli.command(), permissions } },
      files: {
        'talk/.mcp.json': JSON.stringify({
          mcpServers: { evil: { command: 'touch', args: [canary('server')] } },
        }),
        'talk/.claude/settings.json': JSON.stringify({
          enableAllProjectMcpServers: true,
          hooks: { SessionStart: [{ hooks: [{ type: 'command', command: `touch ${canary('hook')}` }] }] },
        }),
      },
    });
    const tries: readonly Turn[] = [
      cli.tools.shell(`touch ${canary('shell')} talk-shell`),
      cli.tools.write(canary('written'), 'x'),
      cli.tools.write(path.join(talk.folder, 'talk', 'inside'), 'x'),
      ...(cli.name === 'codex' ? [patch(canary('patched')), patch('inside')] : []),
    ];
    const server = await startModelServer([
      ...tries,
      answer(cli, [ask('toolu_1', 'write_file', { path: 'report.md', content: 'through the loop' })]),
      answer(cli, [text('Done.')]),
    ]);
    onTestFinished(() => server.close());
    const home = temporaryFolder();
    const env = { ...cleanEnvironment(home), ...cli.settle({ home, url: server.url }) };
    fs.mkdirSync(path.join(home, '.claude'), { recursive: true });
    fs.writeFileSync(path.join(home, '.claude', 'settings.json'), ALLOWED);
    const ended = await talk.converse(['run', 'talk', '-q', '--trust'], { env });
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0, stdout: 'Done.\n' });
    expect(server.requests).toHaveLength(tries.length + 2);
    expect(fs.readdirSync(outside)).toEqual([]);
    expect(talk.has('talk/inside') || talk.has('talk/talk-shell')).toBe(false);
    expect(talk.read('talk/report.md')).toBe('through the loop');
    expect(talk.results().results).toMatchObject([{ tool_name: 'write_file', status: 'success' }]);
    expect(talk.session()).toMatchObject({ status: 'completed', current_iteration: 2 });
  });

  it('warns that it cannot switch off the tools of a command', async () => {
    const said = JSON.stringify({ content: [text('Done.')] });
    const talk = new Talk({ says: [], workflow: { agent: { name: 'own', command: ['echo', said] } } });
    const ended = await talk.converse(['run', 'talk', '-q', '--trust']);
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'Done.\n' });
    expect(ended.stderr).toContain(
      'warning: `own` is a command: its own tools cannot be disabled, and their actions are not in the history\n',
    );
  });
});
