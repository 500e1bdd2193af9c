import fs from 'node:fs';
import { type Command, Option } from 'commander';
import { defined } from '../../model/defined.ts';
import { withTypedCommands } from '../../model/typed-command.ts';
import {
  findInstalledHooks,
  HOOKS,
  installHooks,
  SCOPES,
  type Scope,
  uninstallHooks,
} from '../../operations/phases/hooks.ts';
import { printable } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';
import { subcommandsOf } from '../subcommands.ts';

interface ScopeFlags {
  readonly scope: Scope;
}

export function define(command: Command, context: CliContext): void {
  command.addHelpText(
    'after',
    `\nHook events (called by Claude Code, with the event on standard input):\n  ${HOOKS.map(({ name }) => name).join(', ')}\n\nExample:\n  orchestrate hook install\n  orchestrate hook status`,
  );
  const add = subcommandsOf(command);
  const scope = (): Option =>
    new Option(
      '--scope <scope>',
      'settings file: shared by the project, yours in this project, or yours in all projects',
    )
      .choices(SCOPES)
      .default('project');
  add('install', 'add the hooks to the settings of Claude Code', 'orchestrate hook install --scope local')
    .addOption(scope())
    .option('--command <command>', 'command the hooks run (default: `orchestrate` from PATH)')
    .action((flags: ScopeFlags & { readonly command?: string }) => install(context, flags));
  add('uninstall', 'remove the hooks from the settings of Claude Code', 'orchestrate hook uninstall')
    .addOption(scope())
    .action((flags: ScopeFlags) => uninstall(context, flags));
  add('status', 'show where hooks are installed', 'orchestrate hook status')
    .option('--json', 'print as JSON')
    .action((flags: { readonly json?: boolean }) => status(context, flags.json === true));
}

async function install(
  context: CliContext,
  { scope, command }: ScopeFlags & { readonly command?: string },
): Promise<void> {
  const own = [process.execPath, fs.realpathSync(process.argv[1] ?? '')] as const;
  const installed = await installHooks(siteOf(context), { scope, own, ...defined({ command }) });
  if (installed.type === 'error') {
    refuse(context, installed.error);
    return;
  }
  const { path, isUnchanged, otherProgram, untrusted } = installed.value;
  if (otherProgram !== undefined)
    context.err(`${printable(`note: the hooks run ${otherProgram}, which is not this installation`)}\n`);
  if (untrusted !== undefined)
    context.err(`warning: the next run asks whether to trust this setting: ${untrusted}\n`);
  context.err(
    `${printable(`${isUnchanged ? 'hooks already installed in' : 'hooks installed in'} ${path}`)}\n`,
  );
}

function uninstall(context: CliContext, { scope }: ScopeFlags): void {
  const uninstalled = uninstallHooks(siteOf(context), { scope });
  if (uninstalled.type === 'error') {
    refuse(context, uninstalled.error);
    return;
  }
  const { path, isUnchanged } = uninstalled.value;
  context.err(`${printable(`${isUnchanged ? 'no hooks in' : 'hooks removed from'} ${path}`)}\n`);
}

function status(context: CliContext, asJson: boolean): void {
  const found = findInstalledHooks(siteOf(context));
  if (asJson) {
    context.out(`${JSON.stringify(found, null, 2)}\n`);
    return;
  }
  for (const { scope, path, hooks, missing } of found) {
    const what = hooks.length === 0 ? 'not installed' : missing.length === 0 ? 'installed' : 'incomplete';
    context.out(`${printable(`${scope.padEnd(8)} ${what.padEnd(14)} ${path}`)}\n`);
    for (const { event, command } of hooks) context.out(`${printable(`  ${event}: ${command}`)}\n`);
    if (missing.length > 0)
      context.err(
        withTypedCommands(`help: \`orchestrate hook install --scope ${scope}\` adds ${missing.join(', ')}\n`),
      );
  }
}
