import type { Command } from 'commander';
import { adviceText } from '../../model/advice.ts';
import { howToType } from '../../model/how-to-type.ts';
import { checkAgents, type Machine } from '../../operations/doctor/check-agents.ts';
import { checkEnvironment } from '../../operations/doctor/check-environment.ts';
import { checkGit } from '../../operations/doctor/check-git.ts';
import { checkProcesses } from '../../operations/doctor/check-processes.ts';
import { checkRun, cutRun } from '../../operations/doctor/check-run.ts';
import { checkSandbox } from '../../operations/doctor/check-sandbox.ts';
import { checkSettings } from '../../operations/doctor/check-settings.ts';
import { checkWorkspace } from '../../operations/doctor/check-workspace.ts';
import type { Finding } from '../../operations/doctor/finding.ts';
import type { Problem } from '../../operations/problem.ts';
import { findRun } from '../../operations/runs/find-run.ts';
import type { CliContext } from '../context.ts';
import { renderFindings } from '../doctor/render-findings.ts';
import { EXIT } from '../exit-codes.ts';
import { mayUseWorkers, workersOf } from '../reach-workers.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';
import { versionOf } from '../version.ts';

interface DoctorFlags {
  readonly json?: boolean;
  readonly cut?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command
    .argument('[run]', 'check only this run')
    .option('--cut', 'truncate the damaged journal of this run before the damage')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate doctor\n  orchestrate doctor last')
    .action(async (run: string | undefined, flags: DoctorFlags) => {
      if (run === undefined && flags.cut === true) {
        refuse(context, { type: 'cut-without-run' });
        return;
      }
      const findings = run === undefined ? await checkAll(context) : findingsOf(context, run, flags);
      if (findings === undefined) return;
      context.out(
        flags.json === true ? `${JSON.stringify(findings.map(asData), null, 2)}\n` : renderFindings(findings),
      );
      context.exitCode = findings.some(({ level }) => level === 'problem') ? EXIT.failed : EXIT.done;
    });
}

async function checkAll(context: CliContext): Promise<readonly Finding[]> {
  const machine: Machine = {
    env: process.env,
    isRoot: process.getuid?.() === 0,
    workspace: context.workspace,
  };
  return [
    { area: 'program', level: 'ok', message: `Node ${process.version} on ${process.platform}` },
    ...checkProcesses(context.dist),
    ...(await checkGit(siteOf(context))),
    ...(await checkAgents(machine)),
    ...checkEnvironment(machine),
    ...(await checkSandbox(machine.env)),
    ...checkWorkspace(context.workspace),
    ...checkSettings(siteOf(context)),
    ...(await checkWorkersHere(context)),
  ];
}

/** Nothing is loaded in a workspace that uses none. */
async function checkWorkersHere(context: CliContext): Promise<readonly Finding[]> {
  const site = siteOf(context);
  if (!mayUseWorkers(site)) return [];
  const { checkWorkers, unusableWorkers } = await import('../../operations/doctor/check-workers.ts');
  const { engineSettings } = await import('../../operations/config/engine-settings.ts');
  const settings = engineSettings(site);
  // An invalid file is a finding of the settings.
  if (settings.type === 'error')
    return settings.error.type === 'invalid-file' ? [] : unusableWorkers(settings.error);
  const problems: Problem[] = [];
  const workers = await workersOf(context, site, (problem) => problems.push(problem));
  const [problem] = problems;
  if (problem !== undefined) return unusableWorkers(problem);
  const { databaseEnv: variable } = settings.value;
  if (workers === undefined) return unusableWorkers({ type: 'no-database', variable });
  const version = versionOf(context);
  const found = await checkWorkers(siteOf(context, workers), { settings: settings.value, version });
  await workers.close();
  return found;
}

function findingsOf(context: CliContext, text: string, flags: DoctorFlags): readonly Finding[] | undefined {
  const found = findRun(siteOf(context), text);
  if (found.type === 'error') {
    refuse(context, found.error);
    return undefined;
  }
  return flags.cut === true
    ? [cutRun(context.workspace, found.value)]
    : checkRun(context.workspace, found.value);
}

function asData({ help, ...finding }: Finding): object {
  return help === undefined ? finding : { ...finding, help: adviceText(help, howToType) };
}
