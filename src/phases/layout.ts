/**
 * The only file that spells paths of phases.
 *
 *   .claude/state/workflow.json             truth
 *   .claude/workflow_state_system.md        view
 *   .claude/state/workflow-history.jsonl    one line a change
 *   .claude/state/todos.json                the agent's own list
 *   .claude/state/session.json              the session whose hooks spoke last
 *   .claude/state/hook.log                  what a hook could not do
 *   .claude/state/archive/<id>.…            workflows that were put away
 *   .claude/state/.written.sha256           which versions of the view were written
 */
import fs from 'node:fs';
import { ownPath } from '../store/own-path.ts';

export interface PhasesPaths {
  /** As it was given. */
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

/** Whether there is a workflow, told by a single look: most hooks find none. */
export function hasPhases(workspace: string): boolean {
  return fs.existsSync(`${workspace}/.claude/state/workflow.json`);
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

/** As people are told of it. */
export function shownName({ workspace }: PhasesPaths, path: string): string {
  return path.slice(workspace.length + 1);
}

/** Set in the environment of agents that a run of phases has started: their hooks leave the document to the run. */
export const DRIVEN = 'ORCHESTRATE_PHASES_DRIVEN';
