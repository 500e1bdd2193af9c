/** What a clone may contain for the real CLIs: nothing of it runs before the user agrees, and they read nothing else that could run. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { CliWorkspace } from './cli-workspace.ts';
import { CLAUDE_325, type Cli, CODEX, COPILOT, GEMINI, OPENCODE, QWEN } from './clis.ts';
import { installClis } from './install.ts';

beforeAll(installClis, 16 * 60_000);

type Files = { readonly [path: string]: string };

/** Each leaves a file of its name in `out`. */
class Traps {
  readonly out = temporaryFolder();

  touch(name: string): string {
    return `touch ${path.join(this.out, name)}`;
  }

  servers(name: string): object {
    return { x: { command: 'touch', args: [path.join(this.out, name)], type: 'local', tools: ['*'] } };
  }

  mcp(name: string): string {
    return JSON.stringify({ mcpServers: this.servers(name) });
  }

  hooks(name: string): object {
    const run = [{ hooks: [{ type: 'command', command: this.touch(name) }] }];
    return { hooks: { SessionStart: run, UserPromptSubmit: run } };
  }

  opencode(name: string): string {
    return JSON.stringify({
      mcp: { x: { type: 'local', command: this.touch(name).split(' '), enabled: true } },
    });
  }

  code(name: string): string {
    return `import fs from 'node:fs';\nfs.writeFileSync(${JSON.stringify(path.join(this.out, name))}, '');\n`;
  }

  copilotHooks(name: string): string {
    const run = [{ type: 'command', bash: this.touch(name) }];
    return JSON.stringify({ version: 1, hooks: { sessionStart: run, userPromptSubmitted: run } });
  }

  get sprung(): readonly string[] {
    return fs.readdirSync(this.out);
  }
}

const KNOWN: { readonly [name: string]: (traps: Traps) => Files } = {
  claude: (traps) => ({
    '.mcp.json': traps.mcp('mcp'),
    '.claude/settings.json': JSON.stringify({ ...traps.hooks('hook'), enableAllProjectMcpServers: true }),
  }),
  gemini: (traps) => ({ '.gemini/settings.json': traps.mcp('mcp') }),
  codex: (traps) => ({
    '.codex/config.toml': `[mcp_servers.x]\ncommand = "touch"\nargs = ["${traps.out}/mcp"]\n`,
  }),
  opencode: (traps) => ({
    'opencode.json': traps.opencode('json'),
    '.opencode/opencode.json': traps.opencode('inner'),
    '.opencode/plugin/x.js': traps.code('plugin'),
    '.opencode/tool/x.ts': traps.code('tool'),
  }),
  qwen: (traps) => ({
    '.qwen/settings.json': JSON.stringify({ ...traps.hooks('hook'), mcpServers: traps.servers('mcp') }),
  }),
};

/** Places in which these or other agents look. */
function elsewhere(traps: Traps): Files {
  return {
    'bunfig.toml': 'preload = ["./preload.js"]\n',
    'preload.js': traps.code('preload'),
    'config.json': traps.opencode('config.json'),
    '.vscode/mcp.json': JSON.stringify({ servers: traps.servers('vscode') }),
    '.github/mcp.json': traps.mcp('github'),
    '.github/hooks/x.json': traps.copilotHooks('github-hooks'),
    '.github/copilot/settings.json': JSON.stringify(traps.hooks('copilot')),
    '.copilot/mcp-config.json': traps.mcp('copilot-mcp'),
    '.copilot/hooks/x.json': traps.copilotHooks('copilot-hooks'),
    '.agents/mcp.json': traps.mcp('agents'),
    '.gemini/extensions/x/gemini-extension.json': traps.mcp('gemini-extension'),
    '.qwen/extensions/x/qwen-extension.json': traps.mcp('qwen-extension'),
    '.qwen/hooks/hooks.json': JSON.stringify(traps.hooks('qwen-hooks')),
    '.codex/hooks.json': JSON.stringify(traps.hooks('codex-hooks')),
    '.claude/hooks/hooks.json': JSON.stringify(traps.hooks('claude-hooks')),
    'hooks/hooks.json': JSON.stringify(traps.hooks('hooks')),
  };
}

function clone(cli: Cli, files: Files): CliWorkspace {
  const step = `{name: Ask, provider: ${cli.name}, permissions: bypass, input_file: p.md}`;
  return new CliWorkspace([cli], {
    ...files,
    'w.yaml': `name: w\nsteps:\n  - ${step}\n`,
    'p.md': 'Say hi.\n',
  });
}

describe.each([CLAUDE_325, GEMINI, CODEX, OPENCODE, COPILOT, QWEN].map((cli) => [cli.label, cli] as const))(
  '%s in a clone',
  (_, cli) => {
    it.runIf(Object.hasOwn(KNOWN, cli.name))('starts nothing before the user agrees', async () => {
      const traps = new Traps();
      const files = KNOWN[cli.name]?.(traps) ?? {};
      const site = clone(cli, files);
      const server = await site.serve([{ type: 'text', text: 'Hi.' }]);
      const ended = await site.run(['run', 'w.yaml'], server);
      expect(ended.exitCode).toBe(2);
      for (const file of Object.keys(files)) expect(ended.stderr).toContain(`  (${file}; new)\n`);
      expect(server.requests).toEqual([]);
      expect(traps.sprung).toEqual([]);
    });

    it('reads no other file that could make it run something', { timeout: 180_000 }, async () => {
      const traps = new Traps();
      const site = clone(cli, elsewhere(traps));
      const server = await site.serve([{ type: 'text', text: 'Hi.' }]);
      const ended = await site.run(['run', 'w.yaml', '--max-retries', '0'], server);
      expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
      expect(traps.sprung).toEqual([]);
    });
  },
);
