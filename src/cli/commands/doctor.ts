import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { checkAgents, type Surroundings } from '../doctor/check-agents.ts';
import { checkEnvironment } from '../doctor/check-environment.ts';
import { checkProcesses } from '../doctor/check-processes.ts';
import { checkRun, cutRun } from '../doctor/check-run.ts';
import { checkWorkspace } from '../doctor/check-workspace.ts';
import { type Finding, renderFindings } from '../doctor/finding.ts';
import { EXIT } from '../exit-codes.ts';
import { findRunOrTell } from '../find-run.ts';

interface DoctorFlags {
  readonly json?: boolean;
  readonly cut?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command
    .argument('[run]', 'look at this run only')
    .option('--cut', 'with a run: cut its damaged journal before the damage')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nExample:\n  orchestrate doctor\n  orchestrate doctor last')
    .action(async (run: string | undefined, flags: DoctorFlags) => {
      if (run === undefined && flags.cut === true) {
        context.err('error: `--cut` needs a run\nhelp: `orchestrate doctor <run> --cut`\n');
        context.exitCode = EXIT.usage;
        return;
      }
      const findings = run === undefined ? await checkAll(context) : findingsOf(context, run, flags);
      if (findings === undefined) {
        context.exitCode = EXIT.usage;
        return;
      }
      context.out(flags.json === true ? `${JSON.stringify(findings, null, 2)}\n` : renderFindings(findings));
      context.exitCode = findings.some(({ level }) => level === 'problem') ? EXIT.failed : EXIT.done;
    });
}

async function checkAll(context: CliContext): Promise<readonly Finding[]> {
  const around: Surroundings = {
    env: process.env,
    isRoot: process.getuid?.() === 0,
    workspace: context.workspace,
  };
  return [
    { area: 'program', level: 'ok', message: `Node ${process.version} on ${process.platform}` },
    ...checkProcesses(context.dist),
    ...(await checkAgents(around)),
    ...checkEnvironment(around),
    ...checkWorkspace(context.workspace),
  ];
}

function findingsOf(context: CliContext, text: string, flags: DoctorFlags): readonly Finding[] | undefined {
  const runId = findRunOrTell(context, text);
  if (runId === undefined) return undefined;
  return flags.cut === true ? [cutRun(context.workspace, runId)] : checkRun(context.workspace, runId);
}
