/**
 * The only file that spells paths of phases.
 *
 *   .claude/state/workflow.json             truth
 *   .claude/workflow_state_system.md        view
 *   .claude/state/workflow-history.jsonl    one line per change
 *   .claude/state/todos.json                the agent's own todo list
 *   .claude/state/session.json              the session of the last hook
 *   .claude/state/hook.log                  failures of hooks
 *   .claude/state/archive/<id>.…            archived workflows
 *   .claude/state/.written.sha256           checksums of the views that were written
 */
import fs from 'node:fs';
import { ownPath } from '../store/own-path.ts';

export interface PhasesPaths {
  /** As given by the caller. */
  readonly workspace: string;
  readonly folder: string;
  readonly document: string;
  readonly view: string;
  readonly history: string;
  readonly todos: string;
  readonly session: string;
  readonly hookLog: string;
  readonly archive: string;
  readonly written: string;
}

/** Relative to the workspace: by it a workspace with phases is recognized. */
export const PHASES_FILE = '.claude/state/workflow.json';
export const PHASES_FOLDER = '.claude/state';
export const PHASES_VIEW = '.claude/workflow_state_system.md';

/** Whether there is a workflow, checked with a single stat: most hooks find none. */
export function hasPhases(workspace: string): boolean {
  return fs.existsSync(`${workspace}/${PHASES_FILE}`);
}

export function phasesPaths(workspace: string): PhasesPaths {
  const folder = ownPath(workspace, '.claude/state');
  const isAsNamed = folder === `${workspace}/.claude/state`;
  const claude = isAsNamed ? `${workspace}/.claude` : ownPath(workspace, '.claude');
  return {
    workspace,
    folder,
    document: `${folder}/workflow.json`,
    view: `${claude}/workflow_state_system.md`,
    history: `${folder}/workflow-history.jsonl`,
    todos: `${folder}/todos.json`,
    session: `${folder}/session.json`,
    hookLog: `${folder}/hook.log`,
    archive: `${folder}/archive`,
    written: `${folder}/.written.sha256`,
  };
}

/** For messages. */
export function shownName({ workspace }: PhasesPaths, path: string): string {
  return path.slice(workspace.length + 1);
}

/** Set in the environment of agents started by `phases run`: their hooks leave the document to the run. */
export const DRIVEN = 'ORCHESTRATE_PHASES_DRIVEN';
