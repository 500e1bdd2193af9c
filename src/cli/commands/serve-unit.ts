/** `serve install` and `serve uninstall`. */
import { join } from 'node:path';
import type { Problem } from '../../operations/problem.ts';
import { installUnit, uninstallUnit } from '../../operations/serving/install-unit.ts';
import { type Step, type Unit, unitFor } from '../../operations/serving/unit-text.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';

const NO_SYSTEM: Problem = { type: 'no-service-manager' };

export interface InstallFlags {
  readonly port?: number;
}

export function install(context: CliContext, workspaces: readonly string[], flags: InstallFlags): number {
  const unit = unitOf(context, workspaces, flags);
  if (unit === null) return refuse(context, NO_SYSTEM);
  const done = installUnit(unit);
  if (done.type === 'error') return refuse(context, done.error);
  context.out(`${unit.path}\n`);
  context.err(done.value === 'written' ? 'Written. To use it:\n' : 'Unchanged. To use it:\n');
  context.err(listed(unit.enable));
  context.err('`orchestrate serve --address` prints the address of the page, with its token.\n');
  return EXIT.done;
}

export function uninstall(context: CliContext, workspaces: readonly string[]): number {
  const unit = unitOf(context, workspaces, {});
  if (unit === null) return refuse(context, NO_SYSTEM);
  const done = uninstallUnit(unit);
  if (done.type === 'error') return refuse(context, done.error);
  if (done.value === 'not-there') context.err(`There is no \`${unit.path}\`.\n`);
  else context.err(`Removed \`${unit.path}\`. If it is in use:\n${listed(unit.disable)}`);
  return EXIT.done;
}

function unitOf(context: CliContext, workspaces: readonly string[], { port }: InstallFlags): Unit | null {
  return unitFor(process.platform, {
    workspaces,
    program: [process.execPath, join(context.dist, '..', 'bin', 'orchestrate.js')],
    flags: port === undefined ? [] : ['--port', String(port)],
    environment: process.env,
  });
}

function listed(steps: readonly Step[]): string {
  const width = Math.max(...steps.map(({ command }) => command.length));
  return steps.map(({ command, does }) => `  ${command.padEnd(width)}  # ${does}\n`).join('');
}
