/**
 * Finds and repairs inconsistencies, with one line for each. They are searched again after every round, because one repair may reveal the
 * next. Nothing is discarded: replaced files are kept beside the new ones.
 */
import fs from 'node:fs';
import { basename, join } from 'node:path';
import type { JsonObject } from '../../model/json.ts';
import { type KeptFile, keptText } from '../../model/kept-file.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { createDocument, documentText, loadDocument, updateDocument } from '../../store/document.ts';
import { keepAside, nameAside } from '../../store/keep-aside.ts';
import { removeFile } from '../../store/remove-file.ts';
import { complexityOf } from '../document/complexity.ts';
import { text } from '../document/fields.ts';
import { newTask } from '../document/new-task.ts';
import { parseObject } from '../document/parse-object.ts';
import { readTaskFiles, readTasks } from '../document/read-tasks.ts';
import {
  changeSession,
  newSessionFile,
  parseSessionFile,
  type SessionStatus,
} from '../document/session-file.ts';
import { createTaskGraph, derivedStatus, leavesOf } from '../document/task-graph.ts';
import { memberOf, placeOf } from '../document/task-parts.ts';
import { parentIdOf, parseTaskId, type SessionId, type TaskId } from '../ids.ts';
import { type SessionPaths, sessionPaths, taskFile, workflowPaths } from '../layout.ts';
import { isForeign, listMarkers, NOT_A_MARKER, newestFirst, withWorkflow } from '../markers.ts';
import type { SessionProblem } from '../problem.ts';
import { withSession, writeViews } from '../views/write-views.ts';
import { currentSessions } from './sessions.ts';

export interface Repair {
  /** What is repaired, and why: `remove …` as long as it is not done, then `removed …`. */
  readonly message: string;
  /** Absent: the user has to do it. */
  readonly apply?: () => Promise<void> | void;
}

/** Maximum number of rounds. */
const ROUNDS = 5;

export function repair(
  workspace: string,
  options: { readonly dryRun: boolean },
): Promise<Result<readonly Repair[], SessionProblem>> {
  if (!fs.existsSync(workflowPaths(workspace).folder)) return Promise.resolve(ok([]));
  if (options.dryRun) return Promise.resolve(ok(findRepairs(workspace)));
  return withWorkflow(workspace, async () => {
    const done: Repair[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const found = findRepairs(workspace);
      const possible = found.filter((each) => each.apply !== undefined);
      for (const each of possible) await each.apply?.();
      done.push(...possible.map((each) => ({ ...each, message: inPast(each.message) })));
      if (possible.length > 0) continue;
      for (const id of currentSessions(workspace)) {
        const paths = sessionPaths(workspace, id);
        const views = await writeViews(paths);
        if (views.type === 'error' && views.error.type === 'held')
          return error({ type: 'session-being-changed', path: id, held: views.error });
        if (views.type === 'ok') done.push(...views.value.kept.map((kept) => keptRepair(paths, kept)));
      }
      return ok([...done, ...found]);
    }
    return ok(done);
  });
}

/** `remove the marker` → `removed the marker`; `set` stays. */
function inPast(message: string): string {
  return message.replace(/^(?:remove|recreate)\b/, '$&d');
}

function keptRepair(paths: SessionPaths, kept: KeptFile): Repair {
  return { message: keptText(kept, paths.relative), apply: () => {} };
}

function findRepairs(workspace: string): readonly Repair[] {
  const ids = currentSessions(workspace);
  return [
    ...markerRepairs(workspace, new Set(ids)),
    ...ids.flatMap((id) => sessionRepairs(workspace, sessionPaths(workspace, id), id)),
  ];
}

function markerRepairs(workspace: string, sessions: ReadonlySet<SessionId>): readonly Repair[] {
  const { folder } = workflowPaths(workspace);
  const remove = (fileName: string) => () => removeFile(join(folder, fileName));
  const [foreign, markers] = partition(listMarkers(workspace), (marker) => isForeign(workspace, marker));
  const [kept, orphans] = partition(markers, ({ session }) => session !== undefined && sessions.has(session));
  const [newest, ...older] = newestFirst(workspace, kept);
  return [
    ...foreign.map(({ fileName }) => ({ message: `cannot repair \`${fileName}\`: ${NOT_A_MARKER}` })),
    ...orphans.map(({ fileName }) => ({
      message: `remove the marker \`${fileName}\`: its session does not exist`,
      apply: remove(fileName),
    })),
    ...older.map(({ fileName }) => ({
      message: `remove the marker \`${fileName}\`: the marker of \`${newest?.session}\` is newer`,
      apply: remove(fileName),
    })),
  ];
}

function partition<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function sessionRepairs(workspace: string, paths: SessionPaths, id: SessionId): readonly Repair[] {
  const loaded = loadDocument(paths.session, parseSessionFile);
  const repairs: Repair[] = [];
  if (loaded.type === 'error') {
    const problem = loaded.error;
    // A file that can be read is left as it is, with everything that belongs to it.
    if (problem.type !== 'missing' && problem.type !== 'not-json')
      return [
        {
          message: `cannot repair \`${id}\`: ${'message' in problem ? problem.message : 'it is locked by another process'}`,
        },
      ];
    repairs.push({
      message: `recreate \`${paths.relative}/workflow-session.json\` from its tasks: ${
        problem.type === 'missing'
          ? 'file not found'
          : `${problem.message}; the old one is kept as \`${basename(nameAside(paths.session))}\``
      }`,
      apply: () => remakeSession(workspace, paths, id),
    });
  } else {
    const isMarked = listMarkers(workspace).some(({ session }) => session === id);
    const { status } = loaded.value;
    // The tool that keeps its sessions in `active` marks none of them.
    const isUnmarked = status === 'active' && paths.folder !== join(workflowPaths(workspace).active, id);
    const wanted: SessionStatus = isMarked ? 'active' : isUnmarked ? 'paused' : status;
    if (status !== wanted) {
      repairs.push({
        message: `set \`${id}\` to ${wanted} instead of ${status}: it ${isMarked ? 'has' : 'does not have'} the active marker`,
        apply: async () => {
          await changeSession(paths.session, (file) => ({
            ...file,
            status: wanted,
            updated_at: new Date().toISOString(),
          }));
        },
      });
    }
  }
  return [...repairs, ...taskRepairs(paths)];
}

async function remakeSession(workspace: string, paths: SessionPaths, id: SessionId): Promise<void> {
  if (fs.existsSync(paths.session)) keepAside(paths.session);
  const graph = createTaskGraph(readTasks(paths));
  const isMarked = listMarkers(workspace).some(({ session }) => session === id);
  const file = newSessionFile({
    id,
    project: id
      .replace(/^WFS-/, '')
      .replace(/-\d{3}$/, '')
      .replace(/[-_]+/g, ' '),
    kind: 'workflow',
    complexity: complexityOf(leavesOf(graph).length),
    at: fs.statSync(paths.folder).birthtime.toISOString(),
  });
  replaceFile(
    paths.session,
    documentText({ ...file, status: isMarked ? 'active' : 'paused', updated_at: new Date().toISOString() }),
    { mode: 0o644 },
  );
}

function taskRepairs(paths: SessionPaths): readonly Repair[] {
  const files = readTaskFiles(paths);
  const unreadable = files.filter(({ task, named }) => task === undefined || task.id !== named);
  const graph = createTaskGraph(readTasks(paths));
  const repairs: Repair[] = unreadable.map(({ file, source }) => ({
    message: `cannot repair \`${file.path}\`: ${source === undefined ? 'it is not a JSON object' : 'its `id` does not match the file name'}`,
  }));
  const change = (id: TaskId, edit: (source: JsonObject) => JsonObject) => async () => {
    await updateDocument(taskFile(paths, id), parseObject, edit);
  };
  const made = new Set<TaskId>();
  for (const task of graph.tasks) {
    const byForm = parentIdOf(task.id);
    const named = parseTaskId(text(memberOf(task.source, 'context', 'parent')));
    const isFlat = placeOf(task.source, 'context', 'parent').length === 1;
    if (named !== byForm && !(isFlat && byForm === undefined)) {
      repairs.push({
        message: `set the parent of \`${task.id}\` to ${byForm === undefined ? 'none' : `\`${byForm}\``} instead of ${named === undefined ? 'none' : `\`${named}\``}, to match its id`,
        apply: change(task.id, (source) => ({
          ...source,
          context: withParent(source['context'] as JsonObject | undefined, byForm),
        })),
      });
    }
    if (byForm !== undefined && !graph.byId.has(byForm) && !made.has(byForm)) {
      made.add(byForm);
      repairs.push({
        message: `recreate \`${byForm}\` as a container: missing parent of \`${task.id}\``,
        apply: async () => {
          await withSession(paths, () =>
            createDocument(taskFile(paths, byForm), {
              ...newTask(byForm, { title: `Tasks of ${byForm}` }),
              status: 'container',
            }),
          );
        },
      });
    }
    const children = graph.children.get(task.id);
    const derived =
      children !== undefined
        ? derivedStatus(children.map((child) => child.status))
        : task.status === 'container'
          ? 'pending'
          : task.status;
    if (derived !== task.status) {
      repairs.push({
        message: `set \`${task.id}\` to ${derived} instead of ${task.status}: ${children === undefined ? 'it has no subtasks' : 'derived from its subtasks'}`,
        apply: change(task.id, (source) => ({ ...source, status: derived })),
      });
    }
  }
  return repairs;
}

function withParent(context: JsonObject | undefined, parent: TaskId | undefined): JsonObject {
  const { parent: _former, ...rest } = context ?? {};
  return parent === undefined ? rest : { ...rest, parent };
}
