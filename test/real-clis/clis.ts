/** How each real CLI is run against a model server on loopback: made-up keys, a home of its own, no network. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CLIS_FOLDER, NODES_FOLDER } from './install.ts';

export type CliName = 'claude' | 'gemini' | 'codex' | 'opencode' | 'copilot' | 'qwen';

export interface Cli {
  readonly name: CliName;
  readonly version: string;
  /** `claude-2.1.325`: the folder of its transcripts. */
  readonly label: string;
  /** Known once they are installed. */
  command(): readonly string[];
  /** What it reports of a call. */
  readonly reports: { readonly cost: boolean; readonly tokens: boolean };
  /** Its tools for the same tasks. */
  readonly tools: {
    write(path: string, content: string): CliTool;
    shell(command: string): CliTool;
    todos?(items: readonly string[]): CliTool;
  };
  /** Writes its settings to `home` and returns its environment. */
  settle(site: CliSite): { readonly [name: string]: string };
}

export interface CliTool {
  readonly type: 'tool';
  readonly name: string;
  readonly input: { readonly [key: string]: unknown };
}

export interface CliSite {
  readonly home: string;
  readonly url: string;
  /** With a plan's token instead of an API key: only then does it report when a limit ends. */
  readonly plan?: boolean;
  readonly maxTurns?: number;
  readonly noKey?: boolean;
  /** Gemini CLI trusts the folder, but nothing is allowed. */
  readonly trusted?: boolean;
  /** Further environment variables. */
  readonly variables?: { readonly [name: string]: string };
  /** Keys of its own settings file; not for Codex. */
  readonly settings?: { readonly [name: string]: unknown };
}

/** The only secret in these tests. No file of a run may contain it. */
export const MADE_UP_KEY = 'sk-ant-oat01-made-up-key';

const modules = join(CLIS_FOLDER, 'node_modules');
const PLATFORM = `${process.platform}-${process.arch}`;

function claudeCli(version: string): Cli {
  return {
    name: 'claude',
    version,
    label: `claude-${version}`,
    command: () => [
      join(packageOf(`claude-code-${version}`, `@anthropic-ai/claude-code-${PLATFORM}`), 'claude'),
    ],
    reports: { cost: true, tokens: true },
    tools: {
      write: (path, content) => ({ type: 'tool', name: 'Write', input: { file_path: path, content } }),
      shell: (command) => ({ type: 'tool', name: 'Bash', input: { command, description: 'run it' } }),
    },
    settle({ home, url, plan, noKey, settings }) {
      if (settings !== undefined) {
        fs.mkdirSync(join(home, '.claude'), { recursive: true });
        fs.writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify(settings));
      }
      return {
        ...(noKey === true
          ? {}
          : plan === true
            ? { CLAUDE_CODE_OAUTH_TOKEN: MADE_UP_KEY }
            : { ANTHROPIC_API_KEY: MADE_UP_KEY }),
        ANTHROPIC_BASE_URL: url,
        CLAUDE_CODE_TMPDIR: home,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        CLAUDE_CODE_MAX_RETRIES: '1',
        CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
        DISABLE_AUTOUPDATER: '1',
        IS_SANDBOX: '1',
      };
    },
  };
}

const geminiCli: Cli = {
  name: 'gemini',
  version: '0.61.0',
  label: 'gemini-0.61.0',
  command: () => [process.execPath, join(modules, '@google/gemini-cli/bundle/gemini.js')],
  reports: { cost: false, tokens: true },
  tools: {
    write: (path, content) => ({ type: 'tool', name: 'write_file', input: { file_path: path, content } }),
    shell: (command) => ({
      type: 'tool',
      name: 'run_shell_command',
      input: { command, description: 'run it' },
    }),
    todos: (items) => ({
      type: 'tool',
      name: 'write_todos',
      input: { todos: items.map((description) => ({ description, status: 'pending' })) },
    }),
  },
  settle({ home, url, maxTurns, noKey, trusted, settings: more }) {
    fs.mkdirSync(join(home, '.gemini'), { recursive: true });
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { maxAttempts: 1, disableAutoUpdate: true, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
      ...(maxTurns !== undefined && { model: { maxSessionTurns: maxTurns } }),
      ...more,
    };
    fs.writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
    return {
      ...(noKey !== true && { GEMINI_API_KEY: MADE_UP_KEY }),
      ...(trusted === true && { GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
      GOOGLE_GEMINI_BASE_URL: url,
    };
  },
};

const codexCli: Cli = {
  name: 'codex',
  version: '0.166.0',
  label: 'codex-0.166.0',
  command() {
    const vendor = join(packageOf('@openai/codex', `@openai/codex-${PLATFORM}`), 'vendor');
    const [target = ''] = fs.readdirSync(vendor);
    return [join(vendor, target, 'bin', 'codex')];
  },
  reports: { cost: false, tokens: true },
  tools: {
    write: (path, content) => ({
      type: 'tool',
      name: 'exec_command',
      input: { cmd: `printf %s ${quote(content)} > ${quote(path)}` },
    }),
    shell: (command) => ({ type: 'tool', name: 'exec_command', input: { cmd: command } }),
    todos: (items) => ({
      type: 'tool',
      name: 'update_plan',
      input: { plan: items.map((step) => ({ step, status: 'pending' })) },
    }),
  },
  settle({ home, url, noKey }) {
    const folder = join(home, '.codex');
    fs.mkdirSync(folder, { recursive: true });
    const config = `model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 1
stream_max_retries = 1
[features]
plugins = false
[tools]
update_plan = { enabled = true }
`;
    fs.writeFileSync(join(folder, 'config.toml'), config);
    return { CODEX_HOME: folder, ...(noKey !== true && { SCRIPTED_KEY: MADE_UP_KEY }) };
  },
};

const opencodeCli: Cli = {
  name: 'opencode',
  version: '1.18.33',
  label: 'opencode-1.18.33',
  command: () => [join(modules, `opencode-${PLATFORM}`, 'bin', 'opencode')],
  reports: { cost: true, tokens: true },
  tools: {
    // Its tools take absolute paths; a relative one is resolved in its working directory.
    write: (path, content) => ({ type: 'tool', name: 'write', input: { filePath: path, content } }),
    shell: (command) => ({ type: 'tool', name: 'bash', input: { command, description: 'run it' } }),
    todos: (items) => ({
      type: 'tool',
      name: 'todowrite',
      input: {
        todos: items.map((content) => ({ content, status: 'pending', priority: 'low', id: content })),
      },
    }),
  },
  settle({ home, url, noKey, settings }) {
    const folder = join(home, '.config', 'opencode');
    fs.mkdirSync(folder, { recursive: true });
    const scripted = {
      npm: '@ai-sdk/openai-compatible',
      name: 'scripted',
      options: { baseURL: `${url}/v1`, ...(noKey !== true && { apiKey: '{env:SCRIPTED_KEY}' }) },
      models: {
        m: { name: 'm', cost: { input: 3, output: 15 }, limit: { context: 4_000_000, output: 4096 } },
      },
    };
    // Without `ask` it would allow everything.
    const permission = { edit: 'ask', bash: 'ask' };
    const config = {
      model: 'scripted/m',
      share: 'disabled',
      permission,
      provider: { scripted },
      ...settings,
    };
    fs.writeFileSync(join(folder, 'opencode.json'), JSON.stringify(config));
    return {
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      ...(noKey !== true && { SCRIPTED_KEY: MADE_UP_KEY }),
    };
  },
};

const copilotCli: Cli = {
  name: 'copilot',
  version: '1.0.102',
  label: 'copilot-1.0.102',
  command: () => [join(modules, '@github', `copilot-${PLATFORM}`, 'copilot')],
  reports: { cost: false, tokens: false },
  tools: {
    write: (path, content) => ({ type: 'tool', name: 'create', input: { path, file_text: content } }),
    shell: (command) => ({
      type: 'tool',
      name: 'bash',
      input: { command, description: 'run it', mode: 'sync' },
    }),
  },
  settle: ({ url, noKey }) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_MODEL: 'm',
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '4000000',
    ...(noKey !== true && { COPILOT_PROVIDER_API_KEY: MADE_UP_KEY }),
  }),
};

function qwenShell(command: string): CliTool {
  const input = { command, description: 'run it', is_background: false };
  return { type: 'tool', name: 'run_shell_command', input };
}

/** Needs Node 22. Its pauses before a retry take minutes, so they are shortened. */
const qwenCli: Cli = {
  name: 'qwen',
  version: '0.24.4',
  label: 'qwen-0.24.4',
  command: () => [
    join(NODES_FOLDER, 'node_modules', `node-22-${PLATFORM}`, 'bin', 'node'),
    ...['--expose-gc', '--require', join(CLIS_FOLDER, 'quick-waits.cjs')],
    join(modules, '@qwen-code', 'qwen-code', 'cli.js'),
  ],
  reports: { cost: false, tokens: true },
  tools: {
    // Its file tools take only absolute paths.
    write: (path, content) => qwenShell(`printf %s ${quote(content)} > ${quote(path)}`),
    shell: qwenShell,
  },
  settle({ home, url, noKey, settings: more }) {
    fs.mkdirSync(join(home, '.qwen'), { recursive: true });
    const settings = {
      security: { auth: { selectedType: 'openai' } },
      general: { disableAutoUpdate: true },
      privacy: { usageStatisticsEnabled: false },
      // Otherwise it asks its model what to remember, in a conversation of its own.
      memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false, enableAutoSkill: false },
      model: {
        generationConfig: {
          maxRetries: 1,
          retryInitialDelayMs: 1,
          retryMaxDelayMs: 1,
          contextWindowSize: 4_000_000,
        },
      },
      ...more,
    };
    fs.writeFileSync(join(home, '.qwen', 'settings.json'), JSON.stringify(settings));
    return {
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: 'm',
      ...(noKey !== true && { OPENAI_API_KEY: MADE_UP_KEY }),
    };
  },
};

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The folder of the package with the binary, resolved from the package that needs it. */
function packageOf(from: string, name: string): string {
  return dirname(createRequire(join(modules, from, 'package.json')).resolve(`${name}/package.json`));
}

export const CLAUDE_325 = claudeCli('2.1.325');
export const CLAUDE_197 = claudeCli('2.1.197');
export const GEMINI = geminiCli;
export const CODEX = codexCli;
export const OPENCODE = opencodeCli;
export const COPILOT = copilotCli;
export const QWEN = qwenCli;

export const CLIS: readonly Cli[] = [CLAUDE_325, CLAUDE_197, GEMINI, CODEX, OPENCODE, COPILOT, QWEN];

/** Only PATH of the machine. */
export function cleanEnvironment(home: string): { readonly [name: string]: string } {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    TMPDIR: home,
    XDG_RUNTIME_DIR: home,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
  };
}
