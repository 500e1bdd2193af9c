/** Plans the run of a new conversation from the files of its workspace. Writes nothing. */
import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { relative } from 'node:path';
import { createSessionId, isSessionId } from '../../converse/layout.ts';
import type { SessionMetadata } from '../../converse/session.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import type { Prepared } from '../run-plan.ts';
import { newRunId } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import { openFolder } from './folder.ts';
import { type ConverseOptions, inputFor, loadSettings, mayConverse, planNew } from './plan-conversation.ts';

export interface StartConversation extends ConverseOptions {
  /** The workspace: a folder with `config/workflow.yaml`. */
  readonly dir: string;
  /** These override the workflow file. */
  readonly task?: string;
  readonly agent?: string;
  /** Its id. */
  readonly session?: string;
}

export interface PreparedConversation extends Prepared {
  /** A custom command, whose own tools cannot be switched off. */
  readonly agentWithTools?: string;
}

export function startConversation(
  site: Site,
  asked: StartConversation,
): Result<PreparedConversation, Problem> {
  const opened = openFolder(site, asked.dir);
  if (opened.type === 'error') return opened;
  const { folder, shown } = opened.value;
  const loaded = loadSettings(opened.value, asked);
  if (loaded.type === 'error') return loaded;
  const config = loaded.value;
  const task = asked.task ?? config.task;
  if (task === undefined || task.trim() === '') return error({ type: 'no-conversation-task' });
  if (asked.session !== undefined && !isSessionId(asked.session))
    return error({ type: 'invalid-conversation-id', conversation: asked.session });
  const may = mayConverse(site, { folder, config }, asked);
  if (may.type === 'error') return may;
  const { workspace } = site;
  const runId = newRunId(workspace);
  const sessionId = asked.session ?? createSessionId(site.now(), randomBytes(6));
  const input = inputFor({ sessionId, folder, base: folder }, { config, task, workspace }, asked);
  const metadata: SessionMetadata = {
    task,
    user: userName(),
    agent: asked.isDryRun === true ? 'mock' : config.agent.name,
    max_iterations: input.maxIterations,
    run_id: runId,
    run_folder: relative(folder, workspace) || '.',
    ...(asked.isDryRun === true ? { dry_run: true } : {}),
  };
  const conversation = { type: 'new', metadata } as const;
  const hold = { type: 'conversation', sessionId, folder: input.folder, shown, conversation } as const;
  return ok({
    plan: planNew(input, { runId, workspace, hold }),
    ...(input.agent.choice.type === 'template' ? { agentWithTools: input.agent.name } : {}),
  });
}

/** A process may run under a user id that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
