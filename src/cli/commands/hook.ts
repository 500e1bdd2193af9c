import fs from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { agentClaims } from '../../operations/trust/agent-settings.ts';
import { printable } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { claudeFolder } from '../phases/run.ts';
import { HOOKS, isOurs } from '../phases/settings/hooks.ts';
import {
  install,
  installedHooks,
  SCOPES,
  type Scope,
  type SettingsFile,
  settingsFile,
  uninstall,
} from '../phases/settings/settings-file.ts';
import { refuse } from '../phases/tell.ts';
import { siteOf } from '../site.ts';
import { subcommandsOf } from '../subcommands.ts';
import { vouch } from '../trust/with-trust.ts';

interface ScopeFlags {
  readonly scope: Scope;
}

export function define(command: Command, context: CliContext): void {
  command.addHelpText(
    'after',
    `\nEvents, called by Claude Code with the event on standard input:\n  ${HOOKS.map(({ name }) => name).join(', ')}\n\nExample:\n  orchestrate hook install\n  orchestrate hook status`,
  );
  const add = subcommandsOf(command);
  const scope = (): Option =>
    new Option('--scope <scope>', 'whose settings: of the project, your own in it, or yours everywhere')
      .choices(SCOPES)
      .default('project');
  add('install', 'put the hooks into the settings of Claude Code', 'orchestrate hook install --scope local')
    .addOption(scope())
    .option('--command <command>', 'how the hooks call this program; found out where absent')
    .action(async (flags: ScopeFlags & { readonly command?: string }) => {
      const file = fileFor(context, flags);
      const program = flags.command ?? ownCommand();
      if (!isOurs(`${program} hook stop`, 'stop')) {
        context.exitCode = refuse(context, `\`${program}\` does not end in \`orchestrate\``);
        return;
      }
      const before = agentClaims(siteOf(context), ['claude']);
      const done = install(file, program);
      const after = agentClaims(siteOf(context), ['claude']);
      await vouch(context, { folder: context.workspace, before, after });
      context.exitCode =
        done.type === 'error'
          ? refuse(context, done.error)
          : tell(context, done.value === 'installed' ? 'hooks are in' : 'hooks are already in', file);
    });
  add('uninstall', 'take the hooks out again', 'orchestrate hook uninstall')
    .addOption(scope())
    .action((flags: ScopeFlags) => {
      const file = fileFor(context, flags);
      const done = uninstall(file);
      context.exitCode =
        done.type === 'error'
          ? refuse(context, done.error)
          : tell(context, done.value === 'uninstalled' ? 'hooks are out of' : 'no hooks are in', file);
    });
  add('status', 'show which hooks are installed where', 'orchestrate hook status')
    .option('--json', 'print it as JSON')
    .action((flags: { readonly json?: boolean }) => status(context, flags.json === true));
}

function status(context: CliContext, asJson: boolean): void {
  const found = SCOPES.map((scope) => {
    const file = fileFor(context, { scope });
    const hooks = installedHooks(file);
    const events = hooks.map(({ event }) => event);
    return {
      ...file,
      hooks,
      missing: events.length === 0 ? [] : HOOKS.map(({ event }) => event).filter((e) => !events.includes(e)),
    };
  });
  if (asJson) {
    context.out(`${JSON.stringify(found, null, 2)}\n`);
    return;
  }
  for (const { scope, path, hooks, missing } of found) {
    const what = hooks.length === 0 ? 'not installed' : missing.length === 0 ? 'installed' : 'incomplete';
    context.out(`${printable(`${scope.padEnd(8)} ${what.padEnd(14)} ${path}`)}\n`);
    for (const { event, command } of hooks) context.out(`${printable(`  ${event}: ${command}`)}\n`);
    if (missing.length > 0)
      context.err(`help: \`orchestrate hook install --scope ${scope}\` adds ${missing.join(', ')}\n`);
  }
}

function fileFor(context: CliContext, { scope }: ScopeFlags): SettingsFile {
  return settingsFile(scope, { workspace: context.workspace, claudeHome: claudeFolder() });
}

function tell(context: CliContext, what: string, file: SettingsFile): number {
  context.err(`${printable(`${what} ${file.path}`)}\n`);
  return EXIT.done;
}

/** By its name where the shell of a hook finds this very program by it; else by its place. */
function ownCommand(): string {
  const script = fs.realpathSync(process.argv[1] ?? '');
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    try {
      if (fs.realpathSync(resolve(join(folder, 'orchestrate'))) === script) return 'orchestrate';
    } catch {
      // Not in this one.
    }
  }
  return `${quoted(process.execPath)} ${quoted(script)}`;
}

/** A word for the shell that runs hooks. */
function quoted(word: string): string {
  return `"${word.replace(/[\\"$`]/g, '\\$&')}"`;
}
