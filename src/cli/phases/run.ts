import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { parseRunId, type RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { newRunId } from '../../operations/runs/run-ids.ts';
import { mayStartAgents } from '../../operations/trust/agent-settings.ts';
import { activeOf, failedOf, type PhasesDocument } from '../../phases/document.ts';
import { loadPhases } from '../../phases/files/change-document.ts';
import { phasesPaths } from '../../phases/layout.ts';
import { type AgentSettings, PHASES_PROGRAM, type PhasesInput } from '../../phases/run/input.ts';
import { runPaths } from '../../store/layout.ts';
import { agentNamed } from '../agent-named.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { goOn } from '../go-on.ts';
import type { OutputOptions, TrustOption } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { startProgram } from '../start-program.ts';
import { withTrust } from '../trust/with-trust.ts';
import { refuse, tellProblem } from './tell.ts';

export interface AgentFlags {
  readonly agent: string;
  readonly model?: string;
  readonly permissions?: string;
  readonly retries?: string;
  readonly timeout?: string;
}

export async function run(
  context: CliContext,
  flags: AgentFlags & OutputOptions & TrustOption,
): Promise<number> {
  const { workspace } = context;
  const settings = agentSettings(flags);
  if (settings.type === 'error') return refuse(context, settings.error);
  const loaded = loadPhases(phasesPaths(workspace));
  if (loaded.type === 'error') return tellProblem(context, loaded.error);
  const document = loaded.value;
  if (document.phases.every(({ status }) => status === 'completed')) {
    context.err('all phases are completed: nothing to do\n');
    return EXIT.done;
  }
  const failed = failedOf(document.phases);
  if (failed !== undefined) {
    const resume = failed.run_id === undefined ? '' : `, \`orchestrate resume ${failed.run_id}\` goes on`;
    const help = `\`orchestrate phases retry ${failed.id}\` makes it active again${resume}`;
    return refuse(context, `\`${failed.id}\` has failed: ${failed.error ?? 'no reason was given'}`, help);
  }
  const { agent } = settings.value;
  const agents = agent.type === 'builtin' ? [agent.adapter] : [];
  const may = await withTrust(context, flags, () => mayStartAgents(siteOf(context), agents));
  if (may === 'not-trusted') return EXIT.usage;
  const left = leftRun(workspace, document);
  if (left !== undefined) {
    const exitCode = await goOn(context, { runId: left, program: PHASES_PROGRAM }, flags);
    if (exitCode !== undefined) return exitCode;
  }
  const claudeHome = claudeFolder();
  for (const name of rolesMissing(document, workspace, claudeHome))
    context.err(`warning: there is no role file \`${name}.md\`: its agent works without one\n`);
  const runId = newRunId(context.workspace);
  const input: PhasesInput = { ...settings.value, workspace, claudeHome };
  const { exitCode } = await startProgram(
    context,
    {
      ...{ runId, kind: 'phases', title: document.task, program: PHASES_PROGRAM, input },
      facts: { phases_workflow: document.id },
    },
    flags,
  );
  return exitCode;
}

/** The run that works, or was at work, on the active phase. */
function leftRun(workspace: string, { phases }: PhasesDocument): RunId | undefined {
  const runId = parseRunId(activeOf(phases)?.run_id ?? '');
  return runId !== undefined && fs.existsSync(runPaths(workspace, runId).journal) ? runId : undefined;
}

export function agentSettings(flags: AgentFlags): Result<AgentSettings, string> {
  const { permissions = 'default', retries = '2', timeout, model } = flags;
  const agent = agentNamed(flags.agent);
  if (agent.type === 'error') return error(`\`--agent\` cannot be used: ${agent.error}`);
  if (permissions !== 'default' && permissions !== 'bypass')
    return error(`\`--permissions ${permissions}\` is neither \`default\` nor \`bypass\``);
  if (!/^\d{1,3}$/.test(retries)) return error('`--retries` must be a whole number, 0 or more');
  if (timeout !== undefined && !/^[1-9]\d{0,7}$/.test(timeout))
    return error('`--timeout` must be a whole number of seconds');
  return ok({
    agent: agent.value,
    permissions,
    retries: Number(retries),
    ...(model === undefined ? {} : { model }),
    ...(timeout === undefined ? {} : { timeoutMs: Number(timeout) * 1000 }),
  });
}

/** Where Claude Code keeps what belongs to the user. */
export function claudeFolder(): string {
  return process.env['CLAUDE_CONFIG_DIR'] ?? join(os.homedir(), '.claude');
}

/** Names of the agents that have a role file. */
export function rolesThere(workspace: string, claudeHome: string): readonly string[] {
  const names = [join(workspace, '.claude', 'agents'), join(claudeHome, 'agents')].flatMap((folder) =>
    fs.existsSync(folder) ? fs.readdirSync(folder) : [],
  );
  return [...new Set(names.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3)))].sort();
}

/** Claude Code brings this one along. */
const BUILT_IN_ROLES = ['general-purpose'];

function rolesMissing(document: PhasesDocument, workspace: string, claudeHome: string): readonly string[] {
  const there = [...rolesThere(workspace, claudeHome), ...BUILT_IN_ROLES, ''];
  const wanted = document.phases.filter(({ status }) => status !== 'completed').map(({ agent }) => agent);
  return [...new Set(wanted)].filter((name) => !there.includes(name));
}
