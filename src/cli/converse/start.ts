import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { relative } from 'node:path';
import { claimsOf } from '../../converse/config/claims.ts';
import { type ConverseConfig, loadConfig } from '../../converse/config/load-config.ts';
import type { ConverseInput } from '../../converse/input.ts';
import { createSessionId, isSessionId } from '../../converse/layout.ts';
import type { SessionMetadata } from '../../converse/session.ts';
import type { Conversation } from '../../converse/sessions.ts';
import type { RunId } from '../../model/ids.ts';
import { newRunId } from '../../operations/runs/run-ids.ts';
import { renderDiagnostics } from '../../report/render-diagnostic.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { OutputOptions, TrustOption } from '../run-options.ts';
import { isAllowed } from '../trust/with-trust.ts';
import { claimConversation } from './claim.ts';
import { dryScript } from './dry-script.ts';
import { runNew } from './execute.ts';
import { openSite, refuse, type Site } from './site.ts';

export interface StartFlags extends OutputOptions, TrustOption {
  readonly task?: string;
  readonly maxIterations?: number;
  readonly agent?: string;
  readonly session?: string;
  readonly dryRun?: boolean;
}

/** Everything is understood and checked before the first byte is written. */
export async function startConversation(
  context: CliContext,
  dir: string,
  flags: StartFlags,
): Promise<number> {
  const site = openSite(context, dir);
  if (site === undefined) return context.exitCode;
  const config = configOrTell(site, flags);
  if (config === undefined) return context.exitCode;
  const task = flags.task ?? config.task;
  if (task === undefined || task.trim() === '') {
    refuse(context, {
      error: 'there is no task',
      help: 'give it with `--task`, or as `task:` in `config/workflow.yaml`',
    });
    return context.exitCode;
  }
  if (flags.session !== undefined && !isSessionId(flags.session)) {
    refuse(context, {
      error: `\`${flags.session}\` cannot be the id of a conversation`,
      help: 'use letters, digits, `_` and `-`',
    });
    return context.exitCode;
  }
  if (!(await mayConverse(site, config, flags))) return EXIT.usage;
  const runId = newRunId(context.workspace);
  const sessionId = flags.session ?? createSessionId(new Date(), randomBytes(6));
  const claimed = await claimConversation(site, sessionId, metadataFor(site, { task, config, flags, runId }));
  if (claimed.type === 'error') {
    refuse(context, claimed.error);
    return context.exitCode;
  }
  const { conversation, lock, first } = claimed.value;
  try {
    if (flags.quiet !== true && flags.json !== true) context.err(beginning(site, conversation, first));
    const input = inputFor(conversation, { config, task, flags });
    if (input.agent.choice.type === 'template') context.err(ownToolsStayOn(input.agent.name));
    return await runNew(context, { conversation, runId, input, output: flags });
  } finally {
    lock.release();
  }
}

export function configOrTell(site: Site, flags: Pick<StartFlags, 'agent'>): ConverseConfig | undefined {
  const { context, folder, shown } = site;
  const loaded = loadConfig({ folder, shown, ...(flags.agent === undefined ? {} : { agent: flags.agent }) });
  if (loaded.type === 'ok') return loaded.value;
  context.err(renderDiagnostics(loaded.error, { color: context.color.stderr }));
  if (loaded.error.some((one) => one.code === 'workflow/cannot-read'))
    context.err(`help: \`orchestrate converse init ${shown}\` makes the files of a workspace\n`);
  context.exitCode = EXIT.usage;
  return undefined;
}

/** A dry run starts nothing. */
export async function mayConverse(
  { context, folder }: Site,
  config: ConverseConfig,
  flags: TrustOption & Pick<StartFlags, 'dryRun'>,
): Promise<boolean> {
  if (flags.dryRun === true) return true;
  return isAllowed(context, { folder, claims: claimsOf(config, folder), flags });
}

export function inputFor(
  conversation: Conversation,
  given: {
    readonly config: ConverseConfig;
    readonly task: string;
    readonly flags: Pick<StartFlags, 'maxIterations' | 'dryRun'>;
  },
): ConverseInput {
  const { config, flags } = given;
  const { task: _, ...settings } = config;
  return {
    ...settings,
    ...conversation,
    task: given.task,
    maxIterations: flags.maxIterations ?? config.maxIterations,
    ...(flags.dryRun === true ? { agent: dryAgent(config), dryRun: true } : {}),
  };
}

/** A mock agent that has a script keeps to it. */
function dryAgent({ agent, tools }: ConverseConfig): ConverseInput['agent'] {
  const isMock = agent.choice.type === 'builtin' && agent.choice.adapter === 'mock';
  if (isMock && agent.choice.type === 'builtin' && agent.choice.script !== undefined) return agent;
  return { name: 'mock', choice: { type: 'builtin', adapter: 'mock', script: dryScript(tools) } };
}

function metadataFor(
  site: Site,
  given: {
    readonly task: string;
    readonly config: ConverseConfig;
    readonly flags: StartFlags;
    readonly runId: RunId;
  },
): SessionMetadata {
  const { config, flags } = given;
  return {
    task: given.task,
    user: userName(),
    agent: flags.dryRun === true ? 'mock' : config.agent.name,
    max_iterations: flags.maxIterations ?? config.maxIterations,
    run_id: given.runId,
    run_folder: relative(site.folder, site.context.workspace) || '.',
    ...(flags.dryRun === true ? { dry_run: true } : {}),
  };
}

/** Not everybody who runs a process has a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/** A command line of the user's is run as it is written. */
function ownToolsStayOn(agent: string): string {
  return `warning: \`${agent}\` is a command: tools of its own cannot be switched off, and what they do is not in the history\n`;
}

function beginning(site: Site, { sessionId, base, folder }: Conversation, first: string | undefined): string {
  const where = base === folder ? site.shown : `${site.shown}/${relative(folder, base)}`;
  const note = first === undefined ? '' : `note: \`${site.shown}\` itself belongs to \`${first}\`\n`;
  return `conversation ${sessionId} in ${where}\n${note}`;
}
