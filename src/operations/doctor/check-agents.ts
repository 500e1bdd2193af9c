import fs from 'node:fs';
import { join } from 'node:path';
import { ADAPTERS } from '../../agents/adapters/all.ts';
import { isJsonObject, parseJson } from '../../model/json.ts';
import { findProgram } from '../../process/find-program.ts';
import { runProcess } from '../../process/run-process.ts';
import { readForeign } from '../../store/read-foreign.ts';
import type { Finding } from './finding.ts';

export interface Machine {
  readonly env: { readonly [name: string]: string | undefined };
  readonly isRoot: boolean;
  readonly workspace: string;
}

const VERSION_TIMEOUT_MS = 20_000;

/** Finds installed agents and their versions, and checks whether they can work unattended. */
export async function checkAgents(machine: Machine): Promise<readonly Finding[]> {
  const found = await Promise.all(
    Object.values(ADAPTERS)
      .filter((adapter) => adapter.name !== 'mock')
      .map((adapter) => checkAgent(adapter, machine)),
  );
  const none: Finding[] = found.every(([first]) => first?.level === 'note')
    ? [
        {
          area: 'agents',
          level: 'note',
          message: 'no agent CLI found; the built-in `mock` agent is always available',
          help: 'install one, for example `npm install -g @anthropic-ai/claude-code`, or define a provider for another command line',
        },
      ]
    : [];
  return [...found.flat(), ...none];
}

async function checkAgent(
  adapter: { readonly name: string; readonly binary: string },
  machine: Machine,
): Promise<readonly Finding[]> {
  const { name, binary } = adapter;
  const path = findProgram(binary, machine.env['PATH']);
  if (path === undefined) {
    return [{ area: 'agents', level: 'note', message: `${name}: \`${binary}\` not found on PATH` }];
  }
  const version = await versionOf(path, machine);
  if (version === undefined) {
    return [
      {
        area: 'agents',
        level: 'problem',
        message: `${name}: \`${path}\` does not answer \`--version\``,
        help: 'run it by hand to see the error, or install it again',
      },
    ];
  }
  return [
    { area: 'agents', level: 'ok', message: `${name} ${version} (${path})` },
    ...headless(name, machine),
  ];
}

async function versionOf(path: string, machine: Machine): Promise<string | undefined> {
  const env = Object.fromEntries(
    Object.entries(machine.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const end = await runProcess({
    argv: [path, '--version'],
    cwd: machine.workspace,
    env,
    stdin: { type: 'none' },
    stdout: { files: [], headBytes: 4096, tailBytes: 0 },
    stderr: { files: [], headBytes: 0, tailBytes: 0 },
    mask: [],
    timeoutMs: VERSION_TIMEOUT_MS,
    signal: new AbortController().signal,
  });
  if (end.type !== 'exited' || end.exitCode !== 0) return undefined;
  return /(?<!\d)\d+\.\d+[^\s)]*/.exec(end.stdout.head.toString('utf8'))?.[0];
}

/** What would stop it, or make it ask, when it runs unattended. */
function headless(name: string, { env, isRoot }: Machine): readonly Finding[] {
  const home = env['HOME'] ?? '';
  switch (name) {
    case 'claude': {
      const findings: Finding[] = [];
      const signedIn =
        env['ANTHROPIC_API_KEY'] || env['ANTHROPIC_AUTH_TOKEN'] || env['CLAUDE_CODE_OAUTH_TOKEN'];
      if (
        !signedIn &&
        !fs.existsSync(join(env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), '.credentials.json'))
      ) {
        findings.push(
          warning('claude: not signed in', 'run `claude` once and sign in, or set ANTHROPIC_API_KEY'),
        );
      }
      if (isRoot && env['IS_SANDBOX'] !== '1') {
        findings.push(
          warning(
            'claude: refuses `permissions: bypass` when run as root',
            'run as another user, or set IS_SANDBOX=1 if this machine is a sandbox',
          ),
        );
      }
      return findings;
    }
    case 'gemini':
      return env['GEMINI_API_KEY'] || geminiHasAuth(home)
        ? []
        : [
            warning(
              'gemini: not signed in; without a terminal it exits with code 41',
              'run `gemini` once and sign in, or set GEMINI_API_KEY',
            ),
          ];
    case 'codex': {
      const folder = env['CODEX_HOME'] ?? join(home, '.codex');
      const isSetUp = ['auth.json', 'config.toml'].some((file) => fs.existsSync(join(folder, file)));
      return env['OPENAI_API_KEY'] || isSetUp
        ? []
        : [warning('codex: not signed in', 'run `codex login`, or set OPENAI_API_KEY')];
    }
    case 'opencode':
      return isOpencodeSetUp(home, env)
        ? []
        : [
            warning(
              'opencode: no provider is set up',
              'run `opencode auth login`, or add one to opencode.json',
            ),
          ];
    case 'copilot':
      return env['COPILOT_GITHUB_TOKEN'] ||
        env['GH_TOKEN'] ||
        env['GITHUB_TOKEN'] ||
        env['COPILOT_PROVIDER_BASE_URL'] ||
        fs.existsSync(join(env['COPILOT_HOME'] ?? join(home, '.copilot'), 'config.json'))
        ? []
        : [warning('copilot: not signed in', 'run `copilot login`, or set COPILOT_GITHUB_TOKEN')];
    case 'qwen':
      return env['OPENAI_API_KEY'] ||
        env['DASHSCOPE_API_KEY'] ||
        fs.existsSync(join(home, '.qwen', 'settings.json'))
        ? []
        : [warning('qwen: not signed in', 'run `qwen` once and sign in, or set OPENAI_API_KEY')];
    default:
      return [];
  }
}

function isOpencodeSetUp(home: string, env: Machine['env']): boolean {
  const data = join(env['XDG_DATA_HOME'] ?? join(home, '.local', 'share'), 'opencode');
  const config = join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'opencode');
  return [join(data, 'auth.json'), join(config, 'opencode.json'), join(config, 'opencode.jsonc')].some(
    (file) => fs.existsSync(file),
  );
}

function geminiHasAuth(home: string): boolean {
  try {
    const settings: unknown = parseJson(readForeign(join(home, '.gemini', 'settings.json')));
    const security = isJsonObject(settings) ? settings['security'] : undefined;
    const auth = isJsonObject(security) ? security['auth'] : undefined;
    return isJsonObject(auth) && typeof auth['selectedType'] === 'string';
  } catch {
    return false;
  }
}

function warning(message: string, help: string): Finding {
  return { area: 'agents', level: 'warning', message, help };
}
