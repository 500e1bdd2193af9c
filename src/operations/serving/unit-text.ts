/** The file with which the system starts `orchestrate serve` when the user logs in: a systemd user unit, or on macOS a launchd agent. */
import os from 'node:os';
import { basename, join } from 'node:path';
import { sha256 } from '../../model/sha256.ts';
import { configHome, type UserEnvironment } from '../../store/user-folder.ts';
import { workspaceId } from './workspace-id.ts';

export interface Unit {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  /** What to type next, with what it does. */
  readonly enable: readonly Step[];
  readonly disable: readonly Step[];
}

export interface Step {
  readonly command: string;
  readonly does: string;
}

export interface UnitAsked {
  readonly workspaces: readonly string[];
  /** The program with its arguments, without those of `serve`. */
  readonly program: readonly string[];
  readonly flags: readonly string[];
  readonly environment: UserEnvironment;
}

/** Null on a system without either. */
export function unitFor(platform: NodeJS.Platform, asked: UnitAsked): Unit | null {
  if (platform === 'linux') return systemdUnit(asked);
  return platform === 'darwin' ? launchdAgent(asked) : null;
}

/** `text` as it was written: nobody has changed it since. */
export function isOwnText(text: string): boolean {
  const [, digest, body = ''] =
    /^(?:<\?xml[^\n]*\n)?[^\n]*\(([0-9a-f]{16})\)[^\n]*\n([\s\S]*)$/.exec(text) ?? [];
  return digest !== undefined && digest === digestOf(body);
}

function digestOf(body: string): string {
  return sha256(body).slice(0, 16);
}

function mark(body: string): string {
  return `Written by \`orchestrate serve install\` (${digestOf(body)}); \`orchestrate serve uninstall\` removes it.`;
}

function nameOf({ workspaces }: UnitAsked): string {
  return workspaceId(workspaces[0] ?? '');
}

/** `KillMode=process`: runs outlive the server that started them. The address has a token, which is not for the log of the system. */
function systemdUnit(asked: UnitAsked): Unit {
  const { workspaces, program, flags, environment } = asked;
  const file = `orchestrate-${nameOf(asked)}.service`;
  const body = `
[Unit]
Description=Orchestrate: ${workspaces
    .map((each) => basename(each))
    .join(', ')
    .replaceAll('%', '%%')
    .replace(/[^\x20-\x7e]/g, '?')}

[Service]
ExecStart=${[...program, 'serve', ...flags, ...workspaces].map(systemdWord).join(' ')}
WorkingDirectory=${(workspaces[0] ?? '').replaceAll('%', '%%')}
Environment=${systemdWord(`PATH=${environment['PATH'] ?? ''}`).replaceAll('$$', '$')}
StandardOutput=null
Restart=on-failure
RestartSec=5
KillMode=process

[Install]
WantedBy=default.target
`;
  return {
    path: join(configHome(environment, 'linux'), 'systemd', 'user', file),
    text: `# ${mark(body)}\n${body}`,
    enable: [
      { command: 'systemctl --user daemon-reload', does: 'reads the new file' },
      { command: `systemctl --user enable --now ${file}`, does: 'starts it, now and at every login' },
      { command: 'loginctl enable-linger', does: 'starts it when the machine starts, without a login' },
      { command: `journalctl --user --unit ${file}`, does: 'shows what the keeper does' },
    ],
    disable: [
      { command: `systemctl --user disable --now ${file}`, does: 'stops it; runs continue' },
      { command: 'systemctl --user daemon-reload', does: 'forgets the file' },
    ],
  };
}

/** Quoted for `ExecStart`: `%` starts a specifier, `$` a variable. */
function systemdWord(word: string): string {
  const escaped = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[A-Za-z0-9_@+=:,./%-]+$/.test(word) ? escaped : `"${escaped}"`;
}

/** `AbandonProcessGroup`: runs outlive the server that started them. */
function launchdAgent(asked: UnitAsked): Unit {
  const { workspaces, program, flags, environment } = asked;
  const home = environment['HOME'] || os.homedir();
  const label = `run.orchestrate.${nameOf(asked)}`;
  const log = join(home, 'Library', 'Logs', `${label}.log`);
  const words = [...program, 'serve', ...flags, ...workspaces];
  const body = `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${xml(label)}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${xml(word)}</string>`).join('\n')}
  </array>
  <key>WorkingDirectory</key>
  <string>${xml(workspaces[0] ?? '')}</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>${xml(environment['PATH'] ?? '')}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>StandardErrorPath</key>
  <string>${xml(log)}</string>
</dict>
</plist>
`;
  const file = join(home, 'Library', 'LaunchAgents', `${label}.plist`);
  return {
    path: file,
    text: `<?xml version="1.0" encoding="UTF-8"?>\n<!-- ${mark(body)} -->\n${body}`,
    enable: [
      { command: `launchctl bootstrap gui/$(id -u) ${file}`, does: 'starts it, now and at every login' },
      { command: `cat ${log}`, does: 'shows what the keeper does' },
    ],
    disable: [{ command: `launchctl bootout gui/$(id -u)/${label}`, does: 'stops it; runs continue' }],
  };
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
