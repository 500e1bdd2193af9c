/** What a step says about tools is really obeyed by each CLI. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startHttpKit } from '../rig/mcp-http.ts';
import type { Turn } from '../rig/model-server/server.ts';
import { CliWorkspace } from './cli-workspace.ts';
import {
  CLAUDE_197,
  CLAUDE_325,
  type Cli,
  CODEX,
  COPILOT,
  GEMINI,
  MADE_UP_KEY,
  OPENCODE,
  QWEN,
} from './clis.ts';
import { installClis } from './install.ts';

const KIT = path.join(import.meta.dirname, '../rig/mcp-kit.js');
const WITH_TOOLS = [CLAUDE_325, CLAUDE_197, GEMINI];
/** With its real time limits: shortened, that of a connection to a server would be too short. */
const PATIENT_QWEN: Cli = {
  ...QWEN,
  command: () => QWEN.command().filter((word) => word !== '--require' && !word.endsWith('quick-waits.cjs')),
};
const WITH_SERVERS = [CLAUDE_325, CLAUDE_197, CODEX, OPENCODE, COPILOT, PATIENT_QWEN];
const CLAUDES = [CLAUDE_325, CLAUDE_197];
const TIMEOUT = { timeout: 180_000 };

beforeAll(installClis, 15 * 60_000);

const KIT_SHOUT: { readonly [cli: string]: string } = { opencode: 'kit_shout', copilot: 'kit-shout' };

/** The call of the kit's tool, in the words of the CLI. */
function shout({ name }: Cli): Extract<Turn, { type: 'tool' }> {
  const input = { word: 'hello' };
  return name === 'codex'
    ? { type: 'tool', name: 'shout', namespace: 'mcp__kit', input }
    : { type: 'tool', name: KIT_SHOUT[name] ?? 'mcp__kit__shout', input };
}

/** One agent step with these keys, in a workspace of its own. */
function stage(cli: Cli, keys: (notes: string) => string) {
  const site = new CliWorkspace([cli], {});
  const { workspace } = site;
  const notes = path.join(workspace.folder, 'notes');
  workspace.write({
    'w.yaml': `steps:\n  - {name: Ask, provider: ${cli.name}, prompt: Do it., ${keys(notes)}}\n`,
  });
  onTestFinished(() => site.expectNothingLeft());
  return {
    workspace,
    notes: () => (fs.existsSync(notes) ? JSON.parse(fs.readFileSync(notes, 'utf8')) : undefined),
    /** The model uses a tool once. */
    async use(turn: Turn) {
      const server = await site.serve([turn, { type: 'text', text: 'Tried.' }]);
      const variables = { KIT_TOKEN: MADE_UP_KEY };
      const argv = ['run', 'w.yaml', '--verbose', '--trust'];
      const ended = await site.run(argv, server, { trusted: true, variables });
      return { ...ended, requests: server.requests.map(({ body }) => JSON.stringify(body)) };
    },
  };
}

const kit = (notes: string) =>
  `mcp_servers: {kit: {command: [${process.execPath}, ${KIT}, ${notes}], env: {KIT_LEVEL: low}, secrets: [KIT_TOKEN]}}`;

describe.each(WITH_TOOLS)('$name $version', TIMEOUT, (cli) => {
  it('does not use a denied tool, even with all permissions', async () => {
    const tool = cli.tools.write('made.txt', 'by hand');
    const { workspace, use } = stage(cli, () => `permissions: bypass, denied_tools: [${tool.name}]`);
    const { requests } = await use(tool);
    expect(workspace.has('made.txt')).toBe(false);
    expect(requests[0]).not.toContain(`"name":"${tool.name}"`);
  });

  it('uses an allowed tool without further permissions, and no other', async () => {
    const tool = cli.tools.write('made.txt', 'by hand');
    const { workspace, use } = stage(cli, () => `allowed_tools: [${tool.name}]`);
    const { exitCode, stderr } = await use(tool);
    expect(exitCode, stderr).toBe(0);
    expect(workspace.read('made.txt')).toBe('by hand');
    expect((await use(cli.tools.shell('touch by-shell'))).exitCode).toBe(1);
    expect(workspace.step('Ask').outcome).toBe('denied');
    expect(workspace.has('by-shell')).toBe(false);
  });

  it('allows commands by their first words', async () => {
    const name = cli.name === 'claude' ? 'Bash(touch *)' : 'run_shell_command(touch)';
    const { workspace, use } = stage(cli, () => `allowed_tools: ["${name}"]`);
    const { exitCode, stderr } = await use(cli.tools.shell('touch by-shell'));
    expect(exitCode, stderr).toBe(0);
    expect(workspace.has('by-shell')).toBe(true);
  });
});

/** How each of them names its shell. */
const SHELLS = [
  { cli: OPENCODE, shell: 'bash' },
  { cli: COPILOT, shell: 'shell' },
  { cli: QWEN, shell: 'run_shell_command' },
];

describe.each(SHELLS)('$cli.name $cli.version', TIMEOUT, ({ cli, shell }) => {
  it('does not run a denied command, even with all permissions', async () => {
    const { workspace, use } = stage(cli, () => `permissions: bypass, denied_tools: [${shell}]`);
    await use(cli.tools.shell('touch by-shell'));
    expect(workspace.has('by-shell')).toBe(false);
    expect(workspace.step('Ask')).toMatchObject({ status: 'failed', outcome: 'denied' });
  });
});

/** And commands that start with `touch`. */
const TOUCH = [
  { cli: OPENCODE, touch: 'bash(touch *)' },
  { cli: COPILOT, touch: 'shell(touch:*)' },
];

describe.each(TOUCH)('$cli.name $cli.version', TIMEOUT, ({ cli, touch }) => {
  it('runs an allowed command without further permissions', async () => {
    const { workspace, use } = stage(cli, () => `allowed_tools: ["${touch}"]`);
    const { exitCode, stderr } = await use(cli.tools.shell('touch by-shell'));
    expect(exitCode, stderr).toBe(0);
    expect(workspace.has('by-shell')).toBe(true);
  });
});

describe.each(WITH_SERVERS)('$name $version', TIMEOUT, (cli) => {
  it('calls a tool of an MCP server, which gets its environment and its secret, while no file does', async () => {
    const { workspace, notes, use } = stage(cli, (file) => `permissions: bypass, ${kit(file)}`);
    const { exitCode, stderr, requests } = await use(shout(cli));
    expect(exitCode, stderr).toBe(0);
    expect(notes()).toEqual({ word: 'hello', token: MADE_UP_KEY, level: 'low' });
    expect(requests[1]).toContain('HELLO');
    expect(workspace.step('Ask')).toMatchObject({ outcome: 'done', output: 'Tried.' });
  });
});

describe.each(WITH_SERVERS)('$name $version', TIMEOUT, (cli) => {
  it('calls a tool of an MCP server behind an address, with its token where the CLI can take one', async () => {
    const far = await startHttpKit();
    const token = cli.name === 'qwen' ? '' : ', bearer_token: KIT_TOKEN';
    const keys = `permissions: bypass, mcp_servers: {kit: {url: "${far.url}"${token}}}`;
    const { exitCode, stderr, requests } = await stage(cli, () => keys).use(shout(cli));
    expect(exitCode, stderr).toBe(0);
    const authorization = token === '' ? undefined : `Bearer ${MADE_UP_KEY}`;
    expect(far.calls).toEqual([{ word: 'hello', authorization }]);
    expect(requests[1]).toContain('HELLO');
  });
});

it('opencode gets a value with braces as it is written', TIMEOUT, async () => {
  const level = '{env:KIT_TOKEN} {file:/etc/hostname}';
  const { notes, use } = stage(OPENCODE, (file) =>
    `permissions: bypass, ${kit(file)}`.replace('KIT_LEVEL: low', `KIT_LEVEL: "${level}"`),
  );
  expect((await use(shout(OPENCODE))).exitCode).toBe(0);
  expect(notes()).toMatchObject({ level });
});

/** How a rule of each names the tool of the server. */
const RULES = [
  { cli: OPENCODE, rule: 'kit_shout' },
  { cli: COPILOT, rule: 'kit(shout)' },
  { cli: PATIENT_QWEN, rule: 'mcp__kit__shout' },
];

describe.each(RULES)('$cli.name $cli.version', TIMEOUT, ({ cli, rule }) => {
  it('does not use a denied tool of an MCP server', async () => {
    const keys = (file: string) => `permissions: bypass, denied_tools: ["${rule}"], ${kit(file)}`;
    const { notes, use } = stage(cli, keys);
    await use(shout(cli));
    expect(notes()).toBe(undefined);
  });

  it.skipIf(cli.name === 'qwen')(
    'uses an allowed tool of an MCP server without further permissions',
    async () => {
      const { notes, use } = stage(cli, (file) => `allowed_tools: ["${rule}"], ${kit(file)}`);
      const { exitCode, stderr } = await use(shout(cli));
      expect(exitCode, stderr).toBe(0);
      expect(notes()).toMatchObject({ word: 'hello' });
    },
  );
});

describe.each([COPILOT, PATIENT_QWEN])('$name $version', TIMEOUT, (cli) => {
  it('reads its own file of MCP servers', async () => {
    const { workspace, notes, use } = stage(cli, () => 'permissions: bypass, mcp_config: mcp.json');
    const args = [KIT, path.join(workspace.folder, 'notes')];
    const config = { mcpServers: { kit: { command: process.execPath, args, tools: ['*'] } } };
    workspace.write({ 'mcp.json': JSON.stringify(config) });
    const { exitCode, stderr } = await use(shout(cli));
    expect(exitCode, stderr).toBe(0);
    expect(notes()).toMatchObject({ word: 'hello' });
  });
});

it(
  'a denied tool of an agent without a list of allowed tools is explained without one',
  TIMEOUT,
  async () => {
    const { stderr } = await stage(QWEN, () => 'retries: 0').use(QWEN.tools.shell('touch by-shell'));
    expect(stderr).toContain('the agent was denied `run_shell_command`; allow it with `permissions: bypass`');
    expect(stderr).not.toContain('allowed_tools');
  },
);

describe.each(CLAUDES)('$name $version', TIMEOUT, (cli) => {
  it('gets its servers in a file that only its owner can read', async () => {
    const { workspace, use } = stage(cli, (file) => `permissions: bypass, ${kit(file)}`);
    await use({ type: 'text', text: 'Nothing.' });
    const config = path.join(workspace.runFolder(), 'responses/001-Ask.mcp.json');
    expect(fs.statSync(config).mode & 0o777).toBe(0o600);
  });

  it('does not use a denied tool of an MCP server', async () => {
    const { notes, use } = stage(
      cli,
      (file) => `permissions: bypass, denied_tools: [${shout(cli).name}], ${kit(file)}`,
    );
    await use(shout(cli));
    expect(notes()).toBe(undefined);
  });

  it('reads its own file of MCP servers', async () => {
    const { workspace, notes, use } = stage(cli, () => 'permissions: bypass, mcp_config: mcp.json');
    const args = [KIT, path.join(workspace.folder, 'notes')];
    const config = { mcpServers: { kit: { command: process.execPath, args } } };
    workspace.write({ 'mcp.json': JSON.stringify(config) });
    expect((await use(shout(cli))).exitCode).toBe(0);
    expect(notes()).toMatchObject({ word: 'hello' });
  });

  it('starts no MCP server of the folder beside those of the step', async () => {
    const { workspace, use } = stage(cli, (file) => `permissions: bypass, ${kit(file)}`);
    const other = { command: process.execPath, args: [KIT, 'other'] };
    workspace.write({ '.mcp.json': JSON.stringify({ mcpServers: { other } }) });
    const { requests } = await use(shout(cli));
    expect(requests[0]).toContain('mcp__kit');
    expect(requests[0]).not.toContain('mcp__other');
  });
});
