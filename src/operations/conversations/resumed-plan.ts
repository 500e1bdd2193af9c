/** Resumes the run of a conversation with its original input, wherever its files are now. */
import fs from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { loadConfig } from '../../converse/config/load-config.ts';
import type { ConverseInput } from '../../converse/input.ts';
import { type Conversation, look } from '../../converse/sessions.ts';
import { lastInput } from '../../engine/last-input.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { isSameJson } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { readJournal } from '../../store/journal-file.ts';
import { runPaths } from '../../store/layout.ts';
import { localPath, portablePath } from '../../store/portable-path.ts';
import type { Problem } from '../problem.ts';
import type { ConversationHold } from '../run-hold.ts';
import type { RunPlan } from '../run-plan.ts';
import type { ReadRun } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { placesIn, planResumed } from './plan-conversation.ts';

/** The events of a run's journal; empty if there is none. */
export function eventsOf(workspace: string, runId: RunId): Result<readonly JournalEvent[], Problem> {
  const { journal } = runPaths(workspace, runId);
  if (!fs.existsSync(journal)) return ok([]);
  const read = readJournal(journal);
  if (read.type === 'ok') return ok(read.value.events);
  return error({ type: 'unreadable-run-of-conversation', runId, reason: read.error.message });
}

export function pinnedInput(events: readonly JournalEvent[]): ConverseInput | undefined {
  return lastInput(events) as unknown as ConverseInput | undefined;
}

/** The agent has been asked as the files were when the conversation started, and still is. */
export function keptSettings(
  { folder, agent, ...pinned }: ConverseInput,
  workspace: string,
): readonly string[] {
  const loaded = loadConfig({ folder: localPath(workspace, folder), shown: folder, agent: agent.name });
  if (loaded.type === 'error' || pinned.dryRun === true) return [];
  const { tools, templates, limits } = loaded.value;
  const now = { agent: loaded.value.agent, tools, templates, limits };
  const before = { agent, tools: pinned.tools, templates: pinned.templates, limits: pinned.limits };
  if (isSameJson(now, before)) return [];
  return ['warning: the files of this conversation have changed; it keeps the settings it was started with'];
}

export function resumedPlan(
  pinned: ConverseInput,
  resumed: {
    readonly runId: RunId;
    readonly workspace: string;
    readonly shown: string;
    readonly conversation: Conversation;
    readonly maxIterations?: number | undefined;
  },
): RunPlan {
  const { runId, workspace, shown, conversation } = resumed;
  const { sessionId, folder, base } = conversation;
  const root = rootNow(pinned, { workspace, folder });
  const input: ConverseInput = {
    ...pinned,
    ...{ sessionId, ...placesIn(workspace, { folder, base, root }) },
    maxIterations: resumed.maxIterations ?? pinned.maxIterations,
  };
  const hold = resumedHold(conversation, { shown, workspace });
  return planResumed(input, { runId, workspace, hold }, { isChanged: !isSameJson(input, pinned) });
}

/** The folders may have been moved since. */
export function rootNow(
  pinned: Pick<ConverseInput, 'root' | 'folder'>,
  { workspace, folder }: { readonly workspace: string; readonly folder: string },
): string {
  const wasAt = (path: string): string => localPath(workspace, path);
  const isElsewhere = isAbsolute(pinned.root) && !isAbsolute(pinned.folder);
  return isElsewhere ? pinned.root : resolve(folder, relative(wasAt(pinned.folder), wasAt(pinned.root)));
}

export function resumedHold(
  conversation: Conversation,
  { shown, workspace }: { readonly shown: string; readonly workspace: string },
): ConversationHold {
  const { sessionId } = conversation;
  const folder = portablePath(workspace, conversation.folder);
  const base = portablePath(workspace, conversation.base);
  return { type: 'conversation', sessionId, folder, shown, conversation: { type: 'resumed', base } };
}

/** Finds the conversation by its run; the folder may now contain another conversation. */
export function resumeConversationRun(
  { workspace }: Pick<Site, 'workspace'>,
  { runId, started, milestones }: Pick<ReadRun, 'runId' | 'started' | 'milestones'>,
): Result<RunPlan, Problem> {
  const pinned = pinnedInput(milestones);
  if (pinned === undefined) throw new Error(`run \`${runId}\` has no input`);
  const here = (path: string): string => localPath(workspace, path);
  // Earlier versions recorded absolute paths.
  const moved = (path: string): string =>
    isAbsolute(path) ? resolve(workspace, relative(started.workspace, path)) : here(path);
  const { sessionId, folder, base } = pinned;
  const places = [here, moved].map((at) => ({ sessionId, folder: at(folder), base: at(base) }));
  const conversation = places.find((place) => hasRun(place, { runId, workspace }));
  if (conversation === undefined)
    return error({
      type: 'conversation-moved',
      conversation: sessionId,
      runId,
      folder: relative(workspace, here(folder)) || '.',
    });
  const shown = relative(workspace, conversation.folder) || '.';
  return ok(resumedPlan(pinned, { runId, workspace, shown, conversation }));
}

function hasRun(
  place: Conversation,
  { runId, workspace }: { readonly runId: RunId; readonly workspace: string },
): boolean {
  const found = look(place);
  // Taking it reports whether it can be used.
  if (found.type === 'unreadable') return found.problem.type !== 'missing';
  const { run_id, run_folder } = found.session.metadata;
  const isOfWorkspace = typeof run_folder !== 'string' || resolve(place.folder, run_folder) === workspace;
  return run_id === runId && isOfWorkspace;
}
