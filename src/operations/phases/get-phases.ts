/** Reads the phases of the workspace. Writes nothing. */
import { error, ok, type Result } from '../../model/result.ts';
import { activeOf, type Phase, type PhasesDocument, previousOf } from '../../phases/document.ts';
import { loadPhases } from '../../phases/files/change-document.ts';
import { loadTodos } from '../../phases/files/view-file.ts';
import { phasesPaths } from '../../phases/layout.ts';
import type { Todo } from '../../phases/todos.ts';
import { renderPhases } from '../../phases/view.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { phasesProblem } from './phases-problem.ts';

export type { Phase, PhasesDocument } from '../../phases/document.ts';

export interface FoundPhases {
  readonly document: PhasesDocument;
  /** The agent's own todo list. */
  readonly todos: readonly Todo[];
}

export function getPhases({ workspace }: Pick<Site, 'workspace'>): Result<FoundPhases, Problem> {
  const paths = phasesPaths(workspace);
  const loaded = loadPhases(paths);
  if (loaded.type === 'error') return error(phasesProblem(loaded.error));
  return ok({ document: loaded.value, todos: loadTodos(paths) });
}

/** As Markdown, for people. */
export function describePhases({ document, todos }: FoundPhases): string {
  return renderPhases(document, todos);
}

/** The phase whose context is handed to the active phase. */
export function phaseBeforeActive({ document }: FoundPhases): Phase | undefined {
  const active = activeOf(document.phases);
  return active === undefined ? undefined : previousOf(document, active);
}
