/**
 * The effects by which an execution sees what others do with the tasks meanwhile.
 *
 * K1 `read-tasks` reports what differs from its last report to the same run, so a long run does not record every task at every look. Its first
 *    report in a process is whole.
 * K2 `watch-tasks` ends when something has changed that this run has not done itself. It may be stopped and repeated at any time.
 */
import fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type {
  ReadTasksInput,
  ReadTasksOutput,
  StandingTask,
  WatchTasksInput,
} from '../../effects/contracts.ts';
import type { Effect } from '../../engine/durable.ts';
import { defined } from '../../model/defined.ts';
import type { JsonValue } from '../../model/json.ts';
import type { EffectOutput } from '../../model/record.ts';
import { canonicalJson, digestOfText } from '../../store/digest.ts';
import { loadDocument } from '../../store/document.ts';
import { fileFailure } from '../../store/safe-path.ts';
import { untrusted } from '../../store/trust.ts';
import { pathsOf } from '../document/focus.ts';
import { parseTaskNamed, taskNames } from '../document/read-tasks.ts';
import { parseSessionFile } from '../document/session-file.ts';
import type { Task } from '../document/task.ts';
import { parseSessionId, type SessionId } from '../ids.ts';
import { type SessionPaths, sessionPaths } from '../layout.ts';
import { claimsOf } from '../sessions/claims.ts';

const POLL_MS = 300;

export interface LookParts {
  /** Where the user's agreements are. */
  readonly trustFile: string;
}

/** The tasks of a session as one run has seen them; only changed files are read again. */
interface Seen {
  readonly files: Map<string, { readonly stamp: string; readonly task?: StandingTask }>;
  readonly reported: Map<string, string>;
}

export function createLook({ trustFile }: LookParts): {
  readonly readTasks: Effect<ReadTasksInput, ReadTasksOutput>;
  readonly watchTasks: Effect<WatchTasksInput, EffectOutput>;
} {
  const seen = new Map<string, Seen>();
  const look = (workspace: string, runId: string, id: SessionId): Look => {
    const known = seen.get(runId) ?? { files: new Map(), reported: new Map() };
    seen.set(runId, known);
    return { workspace, runId, paths: sessionPaths(workspace, id), trustFile, known };
  };
  return {
    readTasks: async ({ session }, { run }) => {
      const id = parseSessionId(session);
      if (id === undefined) return { ...NOTHING, failure: badSession(session) };
      try {
        return report(look(run.workspace, run.runId, id));
      } catch (cause) {
        return { ...NOTHING, failure: fileFailure('read', session, cause) };
      }
    },
    watchTasks: async ({ session, digest }, { run, signal }) => {
      const id = parseSessionId(session);
      if (id === undefined) return { failure: badSession(session) };
      for (;;) {
        if (current(look(run.workspace, run.runId, id))?.digest !== digest) return {};
        await pause(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    },
  };
}

const NOTHING: ReadTasksOutput = { isWhole: false, isPaused: false, digest: '', tasks: [], gone: [] };

function badSession(session: string) {
  return { type: 'unsafe-path', path: session, reason: 'is not a session id' } as const;
}

interface Look {
  readonly workspace: string;
  readonly runId: string;
  readonly paths: SessionPaths;
  readonly trustFile: string;
  readonly known: Seen;
}

/** K1 */
function report(look: Look): ReadTasksOutput {
  const { reported } = look.known;
  const { tasks, isPaused, isWidened, widenedTo, digest } = current(look);
  const isWhole = reported.size === 0;
  const changed = tasks.filter((task) => {
    const text = canonicalJson({ ...task });
    if (reported.get(task.id) === text) return false;
    reported.set(task.id, text);
    return true;
  });
  const there = new Set(tasks.map(({ id }) => id));
  const gone = [...reported.keys()].filter((id) => !there.has(id));
  for (const id of gone) reported.delete(id);
  const widened = isWidened ? { isWidened, ...defined({ widenedTo }) } : {};
  return { isWhole, isPaused, ...widened, digest, tasks: changed, gone };
}

interface Current {
  readonly tasks: readonly StandingTask[];
  readonly isPaused: boolean;
  readonly isWidened: boolean;
  readonly widenedTo: readonly string[] | undefined;
  readonly digest: string;
}

function current(look: Look): Current {
  const { paths, known, runId } = look;
  const session = loadDocument(paths.session, parseSessionFile);
  const names = taskNames(paths);
  for (const name of [...known.files.keys()]) if (!names.includes(name)) known.files.delete(name);
  const tasks = names.flatMap((name) => read(look, name) ?? []);
  const isPaused = session.type === 'ok' && session.value['paused_run'] === runId;
  const isWidened = session.type === 'ok' && session.value.widened_run === runId;
  const widenedTo = isWidened ? session.value.widened_tasks : undefined;
  const wishes = isWidened ? [isPaused, widenedTo === undefined ? true : [...widenedTo]] : [isPaused];
  return { tasks, isPaused, isWidened, widenedTo, digest: digestOf(tasks, wishes, runId) };
}

function read(look: Look, name: string): StandingTask | undefined {
  const { known, paths } = look;
  const stat = fs.statSync(`${paths.tasks}/${name}`, { throwIfNoEntry: false });
  const stamp = stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.ctimeMs}`;
  const before = known.files.get(name);
  if (before !== undefined && stamp !== '' && before.stamp === stamp) return before.task;
  const task = parseTaskNamed(paths, name);
  const standing = task === undefined ? undefined : standingOf(look, task);
  known.files.set(name, { stamp, ...defined({ task: standing }) });
  return standing;
}

function standingOf({ workspace, paths, trustFile }: Look, task: Task): StandingTask {
  const claims = claimsOf([task], paths);
  const named = claims.map(({ name, value }) => ({ name, value }));
  return {
    id: task.id,
    title: task.title,
    status: task.status,
    dependsOn: task.dependsOn,
    paths: pathsOf(task),
    claims: claims.length === 0 ? '' : digestOfText(canonicalJson(named)),
    isTrusted: untrusted(trustFile, workspace, claims) === undefined,
    ...defined({ runId: task.execution.runId }),
  };
}

/** K2: everything but the progress of the run's own tasks. */
function digestOf(tasks: readonly StandingTask[], wishes: readonly JsonValue[], runId: string): string {
  const parts = tasks.map((task) => {
    const isOwn = task.runId === runId || task.status === 'pending' || task.status === 'container';
    return [task.id, task.dependsOn, task.paths, task.claims, isOwn ? '' : task.status];
  });
  return digestOfText(canonicalJson([...wishes, ...parts]));
}
