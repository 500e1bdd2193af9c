/** One event of the agent → the documents, and what the agent is told. */
import fs from 'node:fs';
import { isoTime } from '../../model/iso-time.ts';
import type { JsonObject } from '../../model/json.ts';
import { ok } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import type { PhasesDocument } from '../document.ts';
import { type PhasesProblem, problemWords } from '../files/alone.ts';
import { catchUp, changePhases, loadPhases } from '../files/change-document.ts';
import { changeTodos } from '../files/todo-document.ts';
import type { PhasesPaths } from '../layout.ts';
import { agrees, changeByTool } from '../todos.ts';
import { type AgentReport, recordReport } from './agent-report.ts';
import { renderAnswer, renderContext } from './answer.ts';
import { type HookEvent, isAgentTool, readAgentResponse, readEvent, TODO_TOOLS } from './event.ts';
import { reconcile } from './reconcile.ts';
import { agentTranscript, isNested, readAgentError, readAgentStart } from './transcript.ts';

export interface Recorded {
  /** What is to be printed. */
  readonly answer: string | undefined;
  /** Of `workflow.json`; what others had left undone is done then. */
  readonly hasChanged: boolean;
}

/** Throws a sentence where the documents cannot be read or written. */
export async function recordEvent(
  paths: PhasesPaths,
  argument: string,
  input: JsonObject,
): Promise<Recorded> {
  const event = readEvent(argument, input);
  const before = loadPhases(paths);
  if (before.type === 'error') throw new HookProblem(before.error);
  keepSession(paths, event);
  const document = await recordAgent(paths, event, before.value);
  const todosDisagree = await recordTodos(paths, event, document);
  const isTold = tells(event, document, todosDisagree);
  return {
    answer: isTold ? renderAnswer(event.name, renderContext(document)) : undefined,
    hasChanged: document !== before.value,
  };
}

/** What others left undone. */
export async function bringInLine(paths: PhasesPaths): Promise<void> {
  const done = await catchUp(paths);
  if (done.type === 'error') throw new HookProblem(done.error);
}

class HookProblem extends Error {
  constructor(problem: PhasesProblem) {
    super(problemWords(problem).message);
  }
}

/** A long session has many times that; what is further back was there for the hooks before this one. */
const RECENT_BYTES = 1024 * 1024;

/** The event's own report first, then what was missed before it. */
async function recordAgent(
  paths: PhasesPaths,
  event: HookEvent,
  before: PhasesDocument,
): Promise<PhasesDocument> {
  const { workspace } = paths;
  const report = reportOf(event);
  const { transcriptPath } = event;
  const apply = (document: PhasesDocument) => {
    const own = report === undefined ? { document, changes: [] } : recordReport(document, report, workspace);
    if (transcriptPath === undefined || event.name === 'pre-tool-use') return own;
    const missed = reconcile(own.document, { transcriptPath, workspace, mostBytes: RECENT_BYTES });
    return { document: missed.document, changes: [...own.changes, ...missed.changes] };
  };
  const expected = apply(before);
  // Most events change nothing; then no lock is taken either.
  if (expected.document === before) return before;
  const changed = await changePhases(paths, 'hook', (document) =>
    ok(isEqual(document, before) ? expected : apply(document)),
  );
  if (changed.type === 'error') throw new HookProblem(changed.error);
  return changed.value.document;
}

/** Most of the time nobody has written in between. */
function isEqual(one: PhasesDocument, other: PhasesDocument): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function reportOf(event: HookEvent): AgentReport | undefined {
  const { tool, agentId } = event;
  const at = isoTime();
  const isAgent = isAgentTool(tool?.name);
  const prompt = typeof tool?.input['prompt'] === 'string' ? tool.input['prompt'] : '';
  const useIds = tool?.useId === undefined ? [] : [tool.useId];
  switch (event.name) {
    case 'pre-tool-use':
      if (!isAgent || agentId !== undefined) return undefined;
      return { ids: [], prompt, startedAt: Number.NaN, at, end: { type: 'starting' } };
    case 'post-tool-use': {
      if (!isAgent || agentId !== undefined) return undefined;
      const response = readAgentResponse(tool?.response);
      const ids = [...(response.agentId === undefined ? [] : [response.agentId]), ...useIds];
      if (response.isLaunched)
        return { ids, prompt, startedAt: beganAt(event, response.agentId), at, end: { type: 'launched' } };
      const own = transcriptOf(event, response.agentId);
      const said = own === undefined ? undefined : readAgentError(own);
      const failure = said ?? (response.isCutOff ? response.text : undefined);
      return {
        ids,
        prompt,
        startedAt: beganAt(event, response.agentId),
        at,
        end:
          failure === undefined ? { type: 'done', text: response.text } : { type: 'failed', error: failure },
      };
    }
    case 'post-tool-use-failure':
      // An agent that a person has stopped has not failed.
      if (!isAgent || agentId !== undefined || event.isInterrupt) return undefined;
      return {
        ids: useIds,
        prompt,
        startedAt: beganAt(event, undefined),
        at,
        end: { type: 'failed', error: event.error ?? 'the agent failed' },
      };
    case 'subagent-stop':
    case 'stop-failure': {
      if (agentId === undefined) return undefined;
      const own = event.agentTranscriptPath ?? transcriptOf(event, agentId);
      // One inside another has done a part of its work.
      if (own !== undefined && isNested(own)) return undefined;
      const start = own === undefined ? undefined : readAgentStart(own);
      return {
        ids: [agentId],
        prompt: start?.prompt ?? '',
        startedAt: start?.startedAt ?? Number.NaN,
        at,
        end:
          event.name === 'subagent-stop'
            ? { type: 'done', text: event.lastMessage ?? '' }
            : { type: 'failed', error: event.lastMessage ?? event.error ?? 'the agent failed' },
      };
    }
    default:
      return undefined;
  }
}

function transcriptOf(event: HookEvent, agentId: string | undefined): string | undefined {
  if (event.transcriptPath === undefined || agentId === undefined) return undefined;
  return agentTranscript(event.transcriptPath, agentId);
}

/** As its own transcript tells; else counted back from now. */
function beganAt(event: HookEvent, agentId: string | undefined): number {
  const own = transcriptOf(event, agentId);
  const told = own === undefined ? undefined : readAgentStart(own)?.startedAt;
  if (told !== undefined && !Number.isNaN(told)) return told;
  return event.durationMs === undefined ? Number.NaN : Date.now() - event.durationMs;
}

/** True: the agent has just written its own list, and it does not show the phases as they are. */
async function recordTodos(paths: PhasesPaths, event: HookEvent, document: PhasesDocument): Promise<boolean> {
  const { tool, sessionId, agentId } = event;
  // A subagent's list is about its own part of the work.
  if (event.name !== 'post-tool-use' || tool === undefined || agentId !== undefined) return false;
  if (!TODO_TOOLS.includes(tool.name)) return false;
  const change = changeByTool(tool);
  if (change === undefined) return false;
  const changed = await changeTodos(paths, {
    ...(sessionId === undefined ? {} : { sessionId }),
    change,
  });
  if (changed.type === 'error') throw new HookProblem(changed.error);
  return !agrees(document, changed.value);
}

function tells(event: HookEvent, document: PhasesDocument, todosDisagree: boolean): boolean {
  if (event.name === 'session-start') return document.status !== 'completed';
  if (event.agentId !== undefined) return false;
  return todosDisagree || isAgentTool(event.tool?.name);
}

/** Where the transcript lies, for `phases reconcile`. */
function keepSession(paths: PhasesPaths, event: HookEvent): void {
  const { sessionId, transcriptPath } = event;
  if (transcriptPath === undefined) return;
  const text = `${JSON.stringify({ session_id: sessionId, transcript_path: transcriptPath }, null, 2)}\n`;
  let kept = '';
  try {
    kept = fs.readFileSync(paths.session, 'utf8');
  } catch {
    // The first one.
  }
  if (kept !== text) replaceFile(paths.session, text, { mode: 0o644 });
}
