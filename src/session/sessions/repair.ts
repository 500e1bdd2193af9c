/**
 * Finds what does not fit together and mends it, one line each. Repairs are found anew after every round: mending one thing may show the
 * next. Nothing is thrown away: what is replaced is kept beside.
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
import { newTask } from '../document/new-task.ts';
import { readTaskFiles, readTasks } from '../document/read-tasks.ts';
import { newSessionFile, parseSessionFile, type SessionStatus } from '../document/session-file.ts';
import { createTaskGraph, derivedStatus, leavesOf } from '../document/task-graph.ts';
import { parentIdOf, type SessionId, type TaskId } from '../ids.ts';
import { type SessionPaths, sessionPaths, taskFile, workflowPaths } from '../layout.ts';
import { isForeign, listMarkers, NOT_A_MARKER, newestFirst, withWorkflow } from '../markers.ts';
import { heldProblem, type SessionProblem } from '../problem.ts';
import { parseObject, withSession, writeViews } from '../views/write-views.ts';
import { sessionFolders } from './sessions.ts';

export interface Repair {
  /** What is done, and why. */
  readonly message: string;
  /** Absent: a person must do it. */
  readonly mend?: () => Promise<void> | void;
}

/** One thing leads to another at most this often. */
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
      const possible = found.filter((each) => each.mend !== undefined);
      for (const each of possible) await each.mend?.();
      done.push(...possible);
      if (possible.length > 0) continue;
      for (const id of sessionFolders(workflowPaths(workspace).folder)) {
        const paths = sessionPaths(workspace, id);
        const views = await writeViews(paths);
        if (views.type === 'error' && views.error.type === 'held')
          return error(heldProblem(`\`${id}\` is being changed by`, views.error));
        if (views.type === 'ok') done.push(...views.value.kept.map((kept) => keptRepair(paths, kept)));
      }
      return ok([...done, ...found]);
    }
    return ok(done);
  });
}

function keptRepair(paths: SessionPaths, kept: KeptFile): Repair {
  return { message: keptText(kept, paths.relative), mend: () => {} };
}

function findRepairs(workspace: string): readonly Repair[] {
  const { folder } = workflowPaths(workspace);
  const ids = sessionFolders(folder);
  return [
    ...markerRepairs(workspace, new Set(ids)),
    ...ids.flatMap((id) => sessionRepairs(workspace, sessionPaths(workspace, id), id)),
  ];
}

function markerRepairs(workspace: string, sessions: ReadonlySet<SessionId>): readonly Repair[] {
  const { folder } = workflowPaths(workspace);
  const remove = (fileName: string) => () => removeFile(join(folder, fileName));
  const [foreign, markers] = partition(listMarkers(workspace), (marker) => isForeign(workspace, marker));
  const isThere = (id: SessionId): boolean => sessions.has(id) || isElsewhere(workspace, id);
  const [kept, orphans] = partition(markers, ({ session }) => session !== undefined && isThere(session));
  const [newest, ...older] = newestFirst(workspace, kept);
  return [
    ...foreign.map(({ fileName }) => ({ message: `cannot mend \`${fileName}\`: ${NOT_A_MARKER}` })),
    ...orphans.map(({ fileName }) => ({
      message: `removed the marker \`${fileName}\`: there is no session of that name`,
      mend: remove(fileName),
    })),
    ...older.map(({ fileName }) => ({
      message: `removed the marker \`${fileName}\`: several sessions were marked as active, and \`${newest?.session}\` is the newest`,
      mend: remove(fileName),
    })),
  ];
}

/** Another tool of this layout keeps sessions that are worked on one folder deeper. */
function isElsewhere(workspace: string, id: SessionId): boolean {
  return fs.existsSync(join(workflowPaths(workspace).folder, 'active', id));
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
    // Whatever can be read is somebody's words, and stays as it is, with all that belongs to it.
    if (problem.type !== 'missing' && problem.type !== 'not-json')
      return [{ message: `cannot mend \`${id}\`: ${'message' in problem ? problem.message : 'it is held'}` }];
    repairs.push({
      message: `made \`${paths.relative}/workflow-session.json\` again from its tasks: ${
        problem.type === 'missing'
          ? 'it was not there'
          : `${problem.message}; the old one is kept as \`${basename(nameAside(paths.session))}\``
      }`,
      mend: () => remakeSession(workspace, paths, id),
    });
  } else {
    const isMarked = listMarkers(workspace).some(({ session }) => session === id);
    const { status } = loaded.value;
    const wanted: SessionStatus = isMarked ? 'active' : status === 'active' ? 'paused' : status;
    if (status !== wanted) {
      repairs.push({
        message: `set \`${id}\` to ${wanted}: it said ${status}, and ${isMarked ? 'its marker is there' : 'no marker says so'}`,
        mend: async () => {
          await updateDocument(paths.session, parseSessionFile, (file) => ({
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
    message: `cannot mend \`${file.path}\`: ${source === undefined ? 'it is not a JSON object' : 'its `id` is not the name of the file'}`,
  }));
  const change = (id: TaskId, edit: (source: JsonObject) => JsonObject) => async () => {
    await updateDocument(taskFile(paths, id), parseObject, edit);
  };
  const made = new Set<TaskId>();
  for (const task of graph.tasks) {
    const byForm = parentIdOf(task.id);
    if (task.parent !== byForm) {
      repairs.push({
        message: `set the parent of \`${task.id}\` to ${byForm === undefined ? 'none' : `\`${byForm}\``}: its id says so, and the document said ${task.parent === undefined ? 'none' : `\`${task.parent}\``}`,
        mend: change(task.id, (source) => ({
          ...source,
          context: withParent(source['context'] as JsonObject | undefined, byForm),
        })),
      });
    }
    if (byForm !== undefined && !graph.byId.has(byForm) && !made.has(byForm)) {
      made.add(byForm);
      repairs.push({
        message: `made \`${byForm}\` again as a container: \`${task.id}\` is its subtask, and it was not there`,
        mend: async () => {
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
        message: `set \`${task.id}\` to ${derived}: it said ${task.status}, and ${children === undefined ? 'it has no subtasks' : 'its subtasks say otherwise'}`,
        mend: change(task.id, (source) => ({ ...source, status: derived })),
      });
    }
  }
  return repairs;
}

function withParent(context: JsonObject | undefined, parent: TaskId | undefined): JsonObject {
  const { parent: _former, ...rest } = context ?? {};
  return parent === undefined ? rest : { ...rest, parent };
}
