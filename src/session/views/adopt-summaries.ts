/**
 * Summaries in `.summaries` that people or other tools wrote. The text of one becomes the `summary.text` of its completed task, and so
 * reaches the tasks that depend on it. The file itself stays as it is. A task with a summary of its own keeps that.
 */
import { join } from 'node:path';
import { updateDocument } from '../../store/document.ts';
import { namesIn } from '../../store/names-in.ts';
import { readPlainText } from '../../store/plain-file.ts';
import { object } from '../document/fields.ts';
import { parseObject } from '../document/parse-object.ts';
import type { TaskDetails } from '../document/task.ts';
import { statusOf, type TaskGraph } from '../document/task-graph.ts';
import { isAdopted } from '../document/task-summary.ts';
import { type SessionPaths, summaryNames, taskFile, taskFileName } from '../layout.ts';
import type { ViewWriter } from './view-writer.ts';

/** What goes into a prompt; the file has the rest. */
const MOST_CHARACTERS = 64 * 1024;

/** The caller holds the session's lock. Returns the names of the changed documents. */
export async function adoptSummaries(
  paths: SessionPaths,
  views: ViewWriter,
  graph: TaskGraph<TaskDetails>,
): Promise<readonly string[]> {
  const there = new Set(namesIn(paths.summaries));
  if (there.size === 0) return [];
  const changed: string[] = [];
  for (const task of graph.tasks) {
    if (statusOf(graph, task.id) !== 'completed') continue;
    if (task.summary !== undefined && !isAdopted(task.summary)) continue;
    const name = summaryNames(task.id).find(
      (each) => there.has(each) && views.isForeign(`.summaries/${each}`),
    );
    const text = name === undefined ? '' : readText(join(paths.summaries, name));
    if (text === '' || text === task.summary?.text) continue;
    const updated = await updateDocument(taskFile(paths, task.id), parseObject, (source) => ({
      ...source,
      summary: { ...object(source['summary']), text },
    }));
    if (updated.type === 'ok') changed.push(`.task/${taskFileName(task.id)}`);
  }
  return changed;
}

/** A folder or a link with that name does not count as a summary. */
function readText(path: string): string {
  try {
    return readPlainText(path).slice(0, MOST_CHARACTERS).trimEnd();
  } catch {
    return '';
  }
}
