/** Documents of a workspace that agents can read: those of its phases and of its active session. */
import fs from 'node:fs';
import { error, ok, type Result } from '../../model/result.ts';
import { phasesPaths } from '../../phases/layout.ts';
import { openSession } from '../../session/sessions/sessions.ts';
import { errnoOf } from '../../store/errno.ts';
import { readPlainText } from '../../store/plain-file.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';

export interface WorkspaceDocument {
  /** `phases/view.md` */
  readonly name: string;
  readonly title: string;
  readonly mimeType: 'application/json' | 'application/jsonl' | 'text/markdown';
}

/** Documents that exist. */
export function listDocuments(site: Site): readonly WorkspaceDocument[] {
  return known(site)
    .filter(({ path }) => fs.existsSync(path))
    .map(({ path: _path, ...document }) => document);
}

export interface ReadDocument extends WorkspaceDocument {
  readonly text: string;
}

/** Undefined if no workspace has a document of this name. */
export function readDocument(site: Site, name: string): Result<ReadDocument, Problem> | undefined {
  const found = known(site).find((each) => each.name === name);
  if (found === undefined) return undefined;
  const { path, ...document } = found;
  if (!fs.existsSync(path)) return error({ type: 'no-such-document', file: name });
  try {
    return ok({ ...document, text: readPlainText(path) });
  } catch (cause) {
    return error({ type: 'cannot-read-file', file: name, code: errnoOf(cause) });
  }
}

type Known = WorkspaceDocument & { readonly path: string };

function known({ workspace }: Site): readonly Known[] {
  const phases = phasesPaths(workspace);
  const session = openSession(workspace, undefined);
  const json = 'application/json';
  const markdown = 'text/markdown';
  const ofPhases: readonly Known[] = [
    { name: 'phases/workflow.json', title: 'phases', mimeType: json, path: phases.document },
    { name: 'phases/view.md', title: 'phases, for people', mimeType: markdown, path: phases.view },
    {
      name: 'phases/history.jsonl',
      title: 'log of phase changes',
      mimeType: 'application/jsonl',
      path: phases.history,
    },
  ];
  if (session.type === 'error') return ofPhases;
  const { id, paths } = session.value;
  return [
    ...ofPhases,
    { name: 'session/session.json', title: `session ${id}`, mimeType: json, path: paths.session },
    { name: 'session/plan.md', title: 'plan of the session', mimeType: markdown, path: paths.plan },
    { name: 'session/todo.md', title: 'todo list of the session', mimeType: markdown, path: paths.todo },
  ];
}
