/** Records one event of the agent in the documents and returns the answer to it. */
import { defined } from '../../model/defined.ts';
import { type JsonObject, parseJsonObject } from '../../model/json.ts';
import type { KeptFile } from '../../model/kept-file.ts';
import { ok } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { errnoOf } from '../../store/errno.ts';
import { isForeignKind, readPlainText } from '../../store/plain-file.ts';
import type { PhasesDocument } from '../document.ts';
import type { PhasesProblem } from '../files/alone.ts';
import { catchUp, changePhases, loadPhases } from '../files/change-document.ts';
import { changeTodos, keep } from '../files/todo-document.ts';
import type { PhasesPaths } from '../layout.ts';
import { documentRefusal, isRefusal, refusalWords } from '../refusals.ts';
import { agrees, changeByTool } from '../todos.ts';
import { recordReport } from './agent-report.ts';
import { renderAnswer, renderContext } from './answer.ts';
import { type HookEvent, isAgentTool, readEvent, TODO_TOOLS } from './event.ts';
import { reconcile } from './reconcile.ts';
import { type EventReport, reportOf } from './report-of.ts';
import { readAgentCalls } from './transcript.ts';

export interface Recorded {
  /** The text to print. */
  readonly answer: string | undefined;
  /** Work left by killed processes was finished. */
  readonly isInLine: boolean;
  readonly kept: readonly KeptFile[];
  /** Why the event changed nothing, for the log. */
  readonly unclear?: string;
}

/** Throws a sentence if the documents cannot be read or written. */
export async function recordEvent(
  paths: PhasesPaths,
  argument: string,
  input: JsonObject,
): Promise<Recorded> {
  const event = readEvent(argument, input);
  const reported = reportOf(event);
  const { document, isInLine, kept } = await recordAgent(paths, event, reported);
  const keptSession = keepSession(paths, event);
  const todos = await recordTodos(paths, event, document);
  const isShown = needsContext(event, document, todos.disagree);
  return {
    answer: isShown ? renderAnswer(event.name, renderContext(document)) : undefined,
    isInLine,
    kept: [...kept, ...keptSession, ...todos.kept],
    ...(reported.type === 'unclear' ? { unclear: reported.why } : {}),
  };
}

/** Finishes work left by killed processes. Returns the foreign files that were in the way. */
export async function bringInLine(paths: PhasesPaths): Promise<readonly KeptFile[]> {
  const done = await catchUp(paths);
  if (done.type === 'error') throw new HookProblem(done.error);
  return done.value.kept;
}

class HookProblem extends Error {
  constructor(problem: PhasesProblem) {
    super(refusalWords(isRefusal(problem) ? problem : documentRefusal(problem)).message);
  }
}

interface Standing extends Pick<Recorded, 'isInLine' | 'kept'> {
  readonly document: PhasesDocument;
}

/** A long session has many times that; earlier hooks have already seen the older part. */
const RECENT_BYTES = 1024 * 1024;

/** Applies the event's own report first, then what was missed before it. */
async function recordAgent(paths: PhasesPaths, event: HookEvent, reported: EventReport): Promise<Standing> {
  const { workspace } = paths;
  const { transcriptPath } = event;
  const apply = (document: PhasesDocument) => {
    const own =
      reported.type === 'report'
        ? recordReport(document, reported.report, workspace)
        : { document, changes: [] };
    if (transcriptPath === undefined || event.name === 'pre-tool-use') return own;
    const missed = reconcile(own.document, { transcriptPath, workspace, mostBytes: RECENT_BYTES });
    return { document: missed.document, changes: [...own.changes, ...missed.changes] };
  };
  // An agent call concerns a phase. Most other events change nothing and take no lock.
  if (!isAgentTool(event.tool?.name)) {
    const loaded = loadPhases(paths);
    if (loaded.type === 'error') throw new HookProblem(loaded.error);
    const document = loaded.value;
    if (transcriptPath !== undefined && event.name === 'stop') await untilWritten(transcriptPath, document);
    if (apply(document).document === document) return { document, isInLine: false, kept: [] };
  }
  const changed = await changePhases(paths, 'hook', (document) => ok(apply(document)));
  if (changed.type === 'error') throw new HookProblem(changed.error);
  const { document, kept } = changed.value;
  return { document, isInLine: true, kept };
}

const WRITTEN_WITHIN_MS = 500;
const LOOK_EVERY_MS = 20;

/**
 * Claude Code writes a transcript line up to a tenth of a second after the event. At the end of a turn only background agents are
 * running: if another one seems to be, its end has not been written yet.
 */
async function untilWritten(transcriptPath: string, { phases }: PhasesDocument): Promise<void> {
  if (phases.every(({ status }) => status !== 'active')) return;
  for (let waited = 0; waited < WRITTEN_WITHIN_MS; waited += LOOK_EVERY_MS) {
    const calls = readAgentCalls(transcriptPath, RECENT_BYTES);
    if (calls.every(({ end, isLaunched }) => end !== undefined || isLaunched === true)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

interface RecordedTodos extends Pick<Recorded, 'kept'> {
  /** The agent has just written its own list, and it does not match the phases. */
  readonly disagree: boolean;
}

const NO_TODOS: RecordedTodos = { disagree: false, kept: [] };

async function recordTodos(
  paths: PhasesPaths,
  event: HookEvent,
  document: PhasesDocument,
): Promise<RecordedTodos> {
  const { tool, sessionId, agentId } = event;
  // A subagent's list covers only its own part of the work.
  if (event.name !== 'post-tool-use' || tool === undefined || agentId !== undefined) return NO_TODOS;
  if (!TODO_TOOLS.includes(tool.name)) return NO_TODOS;
  const change = changeByTool(tool);
  if (change === undefined) return NO_TODOS;
  const changed = await changeTodos(paths, {
    ...defined({ sessionId }),
    change,
  });
  if (changed.type === 'error') throw new HookProblem(changed.error);
  const { todos, kept } = changed.value;
  return { disagree: !agrees(document, todos), kept };
}

function needsContext(event: HookEvent, document: PhasesDocument, todosDisagree: boolean): boolean {
  if (event.name === 'session-start') return document.status !== 'completed';
  if (event.agentId !== undefined) return false;
  return todosDisagree || isAgentTool(event.tool?.name);
}

/** Records the transcript's path for `phases reconcile`. Returns the foreign file that was there, if any. */
function keepSession(paths: PhasesPaths, event: HookEvent): readonly KeptFile[] {
  const { sessionId, transcriptPath } = event;
  if (transcriptPath === undefined) return [];
  const text = `${JSON.stringify({ session_id: sessionId, transcript_path: transcriptPath }, null, 2)}\n`;
  const before = readSession(paths.session);
  // The next hook tries again.
  if (before.type === 'unreadable' || (before.type === 'text' && before.text === text)) return [];
  const aside = isOurSession(before) ? [] : [keep(paths, paths.session)];
  replaceFile(paths.session, text, { mode: 0o644 });
  return aside;
}

type SessionFile =
  | { readonly type: 'text'; readonly text: string }
  /** `other`: a link or anything else that is not a plain file. `unreadable`: the disk reports an error. */
  | { readonly type: 'missing' | 'other' | 'unreadable' };

function readSession(path: string): SessionFile {
  try {
    return { type: 'text', text: readPlainText(path) };
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'ENOENT') return { type: 'missing' };
    return { type: isForeignKind(code) ? 'other' : 'unreadable' };
  }
}

function isOurSession(before: SessionFile): boolean {
  if (before.type !== 'text') return before.type === 'missing';
  if (before.text === '') return true;
  const names = Object.keys(parseJsonObject(before.text) ?? { other: true });
  return names.every((name) => name === 'session_id' || name === 'transcript_path');
}
