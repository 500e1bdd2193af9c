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
 */
export interface PhasesPaths {
  readonly workspace: string;
  readonly folder: string;
  readonly document: string;
  readonly view: string;
  readonly history: string;
  readonly todos: string;
  readonly session: string;
  readonly hookLog: string;
  readonly archive: string;
}

export function phasesPaths(workspace: string): PhasesPaths {
  const claude = `${workspace}/.claude`;
  const folder = `${claude}/state`;
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
  };
}

/** Set in the environment of agents that a run of phases has started: their hooks leave the document to the run. */
export const DRIVEN = 'ORCHESTRATE_PHASES_DRIVEN';
