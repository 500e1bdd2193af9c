/** The summary of a task: the agent's answer, checked against version control. */
import type { ChangedFile } from '../../effects/contracts.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { isWithin } from '../document/focus.ts';
import type { Task } from '../document/task.ts';
import type { FileEvidence } from '../document/task-summary.ts';
import type { Proven } from './acceptance.ts';

export interface Summarised {
  readonly task: Task;
  readonly answers: readonly JsonObject[];
  readonly proven: readonly Proven[];
  /** Absent without version control. */
  readonly changed?: readonly ChangedFile[];
  /** The task's declared paths, if other tasks ran at the same time. */
  readonly within?: readonly string[];
}

export function summarise(input: Summarised): JsonObject {
  const { answers, task } = input;
  const all = (name: string): readonly JsonValue[] =>
    answers.flatMap((answer) => (Array.isArray(answer[name]) ? answer[name] : []));
  const words = (name: string): string =>
    answers
      .map((answer) => answer[name])
      .filter((text): text is string => typeof text === 'string' && text.trim() !== '')
      .join('\n\n');
  const claimed = all('verification').filter(isJsonObject);
  const open = task.acceptance.filter((entry) => !entry.startsWith('command:'));
  return {
    approach: answers.length === 0 ? commandsText(task) : words('approach'),
    files_modified: files(input, all('files_modified').filter(isJsonObject)),
    key_decisions: all('key_decisions'),
    shared_context: Object.assign({}, ...answers.map((answer) => answer['shared_context'])) as JsonObject,
    integration_points: all('integration_points'),
    verification: [
      ...input.proven.map((each) => ({ ...each, proven: true })),
      ...claimed.map((each) => ({ ...each, proven: false })),
      ...(answers.length === 0
        ? []
        : open.map((check) => ({ check, method: 'acceptance, claimed by the agent', proven: false }))),
    ],
    notes: words('notes'),
  };
}

/** Changed files that the agent did not mention are added to the summary. */
function files(input: Summarised, claims: readonly JsonObject[]): readonly JsonObject[] {
  const { changed, within } = input;
  const known = changed === undefined ? undefined : new Set(changed.map(({ path }) => path));
  const said = new Map<string, JsonObject>();
  for (const claim of claims) {
    const path = String(claim['path'] ?? '').replace(/^(?:\.\/)+/, '');
    const evidence: FileEvidence =
      known === undefined ? 'unknown' : known.has(path) ? 'changed' : 'unchanged';
    if (path !== '') said.set(path, { path, description: claim['description'] ?? '', evidence });
  }
  const silent = (changed ?? [])
    .filter(({ path }) => !said.has(path))
    .filter(({ path }) => within === undefined || within.some((folder) => isWithin(path, folder)))
    .map(({ path, change }) => ({
      path,
      description: input.answers.length === 0 ? change : '',
      evidence: input.answers.length === 0 ? 'changed' : 'unmentioned',
    }));
  return [...said.values(), ...silent];
}

function commandsText(task: Task): string {
  if (task.approach.type !== 'steps') return '';
  return task.approach.steps.map((step) => step.title || `Ran \`${step.command ?? ''}\``).join('\n');
}
