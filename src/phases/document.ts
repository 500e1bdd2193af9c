/**
 * `workflow.json`: the phases of a task and their statuses. Agents and users write it too, so it is read leniently: missing optional
 * fields get an empty value, and unknown fields are kept.
 *
 * P1 At most one phase is active; it is the current one. If none is active, `current_phase` is null.
 * P2 The status of the workflow is derived from its phases: failed while one is failed, completed when all are, pending before the first.
 */
import { isSafeName } from '../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import type { HistoryLine } from './history-line.ts';

export const STATUSES = ['pending', 'active', 'completed', 'failed'] as const;
export type PhaseStatus = (typeof STATUSES)[number];

export interface Phase {
  readonly id: string;
  readonly title: string;
  /** The agent with the role file `.claude/agents/<agent>.md`; empty: none in particular; `*`: any agent. */
  readonly agent: string;
  readonly status: PhaseStatus;
  readonly deliverables: readonly string[];
  readonly context_for_next: string;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly error?: string;
  /** How often it was started. */
  readonly attempts?: number;
  /** Ids of agents and tool calls whose end was already counted. */
  readonly agent_ids?: readonly string[];
  /** Agents working on it in the background. */
  readonly waiting_for?: readonly string[];
  /** The run that drives it. */
  readonly run_id?: string;
}

export interface PhasesDocument {
  readonly id: string;
  readonly task: string;
  readonly status: PhaseStatus;
  readonly current_phase: string | null;
  readonly phases: readonly Phase[];
  readonly created_at?: string;
  /** The history lines of the last change (Y1). */
  readonly last_change?: readonly HistoryLine[];
}

export interface PhasePlan {
  readonly title: string;
  readonly agent: string;
}

export function newDocument(task: string, plan: readonly PhasePlan[], at: Date): PhasesDocument {
  const digits = at.toISOString().replace(/\D/g, '');
  return {
    id: `wf_${digits.slice(0, 8)}_${digits.slice(8, 14)}`,
    task,
    status: 'pending',
    current_phase: null,
    phases: plan.map(({ title, agent }, index) => ({
      id: `phase_${index}`,
      title,
      agent,
      status: 'pending',
      deliverables: [],
      context_for_next: '',
    })),
    created_at: at.toISOString(),
  };
}

/** P1, P2 */
export function settled(document: PhasesDocument, phases: readonly Phase[]): PhasesDocument {
  return { ...document, status: statusOf(phases), current_phase: activeOf(phases)?.id ?? null, phases };
}

export function activeOf(phases: readonly Phase[]): Phase | undefined {
  return phases.find((phase) => phase.status === 'active');
}

export function failedOf(phases: readonly Phase[]): Phase | undefined {
  return phases.find((phase) => phase.status === 'failed');
}

export function nextOf(phases: readonly Phase[]): Phase | undefined {
  return phases.find((phase) => phase.status === 'pending');
}

/** The agent of a phase that any agent may work on. */
export const ANY_AGENT = '*';

/** Whether agents of this type work on the phase without naming it. */
export function takesAgent({ agent }: Phase, agentType: string): boolean {
  return agent === ANY_AGENT || (agent !== '' && agent === agentType);
}

/** The last completed phase before this one in the list; its context is handed over. */
export function previousOf(document: PhasesDocument, phase: Phase): Phase | undefined {
  const index = document.phases.findIndex((each) => each.id === phase.id);
  return document.phases.slice(0, Math.max(0, index)).findLast((each) => each.status === 'completed');
}

function statusOf(phases: readonly Phase[]): PhaseStatus {
  if (failedOf(phases) !== undefined) return 'failed';
  if (phases.every((phase) => phase.status === 'completed')) return 'completed';
  return phases.every((phase) => phase.status === 'pending') ? 'pending' : 'active';
}

/** When it was created, in ms; NaN if neither a field nor the id says. */
export function createdAt(document: PhasesDocument): number {
  if (document.created_at !== undefined) return Date.parse(document.created_at);
  const [, day, time] = /^wf_(\d{8})_(\d{6})$/.exec(document.id) ?? [];
  if (day === undefined || time === undefined) return Number.NaN;
  const date = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
  return Date.parse(`${date}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`);
}

/** Reports all problems at once. */
export function parsePhases(value: JsonValue): Result<PhasesDocument, readonly string[]> {
  if (!isJsonObject(value)) return error(['not a JSON object']);
  const problems: string[] = [];
  const text = (object: JsonObject, key: string, at: string): void => {
    if (typeof object[key] !== 'string') problems.push(`\`${at}${key}\` must be a string`);
  };
  const status = (object: JsonObject, at: string): void => {
    if (!(STATUSES as readonly unknown[]).includes(object['status']))
      problems.push(`\`${at}status\` must be one of ${STATUSES.join(', ')}`);
  };
  text(value, 'id', '');
  if (typeof value['id'] === 'string' && !isSafeName(value['id']))
    problems.push('`id` must consist of letters, digits, `_`, `.` and `-`');
  text(value, 'task', '');
  status(value, '');
  const phases = value['phases'];
  if (!Array.isArray(phases) || phases.length === 0) problems.push('`phases` must be a list of phases');
  const ids = new Set<unknown>();
  const read = (Array.isArray(phases) ? (phases as readonly JsonValue[]) : []).map((phase, index) => {
    const at = `phases[${index}].`;
    if (!isJsonObject(phase)) {
      problems.push(`\`phases[${index}]\` must be an object`);
      return undefined;
    }
    const { id } = phase;
    if (typeof id !== 'string' || !isSafeName(id))
      problems.push(`\`${at}id\` must consist of letters, digits, \`_\`, \`.\` and \`-\``);
    else if (ids.has(id)) problems.push(`\`${at}id\` is \`${id}\`, which another phase already uses`);
    ids.add(id);
    text(phase, 'title', at);
    status(phase, at);
    problems.push(...optionalProblems(phase, at));
    const { agent = '', deliverables = [], context = '', context_for_next = context } = phase;
    return { ...phase, agent, deliverables, context_for_next } as unknown as Phase;
  });
  if (problems.length > 0) return error(problems);
  const { current_phase = null } = value;
  return ok({ ...value, current_phase, phases: read } as unknown as PhasesDocument);
}

function optionalProblems(phase: JsonObject, at: string): readonly string[] {
  const problems: string[] = [];
  for (const key of [
    'agent',
    'context_for_next',
    'context',
    'started_at',
    'completed_at',
    'error',
    'run_id',
  ]) {
    if (phase[key] !== undefined && typeof phase[key] !== 'string')
      problems.push(`\`${at}${key}\` must be a string`);
  }
  for (const key of ['deliverables', 'agent_ids', 'waiting_for']) {
    const list = phase[key];
    if (list !== undefined && !(Array.isArray(list) && list.every((each) => typeof each === 'string')))
      problems.push(`\`${at}${key}\` must be a list of strings`);
  }
  const { attempts } = phase;
  if (attempts !== undefined && typeof attempts !== 'number')
    problems.push(`\`${at}attempts\` must be a number`);
  return problems;
}
