/**
 * A task as the rest of the program reads it. The complete document is kept as `source`, so fields added by a user or another version
 * survive every change. Reading is lenient, so that one bad field hides nothing else; `check/` reports what is wrong.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { isTaskId, parseTaskId, type TaskId } from '../ids.ts';
import { object, objects, oneOf, text, texts } from './fields.ts';
import { readSummary, type TaskSummary } from './task-summary.ts';

export const TASK_STATUSES = ['pending', 'active', 'completed', 'blocked', 'container'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const TASK_TYPES = ['feature', 'bugfix', 'refactor', 'test', 'docs'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

export const ERROR_STRATEGIES = ['skip_optional', 'fail', 'retry_once', 'manual_intervention'] as const;
export type ErrorStrategy = (typeof ERROR_STRATEGIES)[number];

/** The part of a task that lists and graphs need. */
export interface TaskOutline {
  readonly id: TaskId;
  readonly title: string;
  readonly status: TaskStatus;
  readonly type: string;
  readonly agent: string;
  readonly parent: TaskId | undefined;
  readonly dependsOn: readonly TaskId[];
  readonly execution: Execution;
  /** It was completed with a summary. */
  readonly hasSummary: boolean;
}

/** The part of a task that views show. */
export interface TaskDetails extends TaskOutline {
  readonly requirements: readonly string[];
  readonly focusPaths: readonly string[];
  readonly acceptance: readonly string[];
  readonly inherited: { readonly from: string; readonly context: readonly string[] } | undefined;
  readonly summary: TaskSummary | undefined;
}

export interface Task extends TaskDetails {
  readonly source: JsonObject;
  readonly sharedContext: JsonObject;
  readonly preAnalysis: readonly AnalysisStep[];
  readonly approach: Approach;
  readonly targetFiles: readonly string[];
  readonly statusHistory: readonly JsonValue[];
}

export interface AnalysisStep {
  readonly step: string;
  readonly action: string;
  /** As written: `bash(…)`. */
  readonly commands: readonly string[];
  readonly outputTo?: string;
  readonly onError: ErrorStrategy;
  readonly successCriteria: readonly string[];
}

export type Approach =
  | { readonly type: 'none' }
  | {
      readonly type: 'description';
      readonly description: string;
      readonly modificationPoints: readonly string[];
      readonly logicFlow: readonly string[];
    }
  | { readonly type: 'steps'; readonly steps: readonly ApproachStep[] };

export interface ApproachStep {
  readonly step: string;
  readonly title: string;
  readonly description: string;
  readonly modificationPoints: readonly string[];
  readonly logicFlow: readonly string[];
  readonly dependsOn: readonly string[];
  readonly output?: string;
  readonly command?: string;
}

export interface Execution {
  readonly attempts: number;
  readonly lastAttempt?: string;
  readonly lastError?: string;
  readonly runId?: string;
  /** `null`: an agent worked on it and did not report its cost. */
  readonly costUsd?: number | null;
}

export function readOutline(source: JsonObject): TaskOutline | undefined {
  const id = parseTaskId(text(source['id']));
  if (id === undefined) return undefined;
  const meta = object(source['meta']);
  const context = object(source['context']);
  return {
    id,
    title: text(source['title']),
    status: oneOf(TASK_STATUSES, source['status']) ?? 'pending',
    type: text(meta['type']),
    agent: text(meta['agent']),
    parent: parseTaskId(text(context['parent'])),
    dependsOn: taskIds(context['depends_on']),
    execution: readExecution(source['execution']),
    hasSummary: isJsonObject(source['summary']),
  };
}

export const NEVER_EXECUTED: Execution = { attempts: 0 };

/** Written out: with thousands of tasks, merging two objects for each would be a tenth of the work. */
export function readDetails(source: JsonObject): TaskDetails | undefined {
  const id = parseTaskId(text(source['id']));
  if (id === undefined) return undefined;
  const meta = object(source['meta']);
  const context = object(source['context']);
  const { inherited } = context;
  return {
    id,
    title: text(source['title']),
    status: oneOf(TASK_STATUSES, source['status']) ?? 'pending',
    type: text(meta['type']),
    agent: text(meta['agent']),
    parent: parseTaskId(text(context['parent'])),
    dependsOn: taskIds(context['depends_on']),
    execution: readExecution(source['execution']),
    hasSummary: isJsonObject(source['summary']),
    requirements: texts(context['requirements']),
    focusPaths: texts(context['focus_paths']),
    acceptance: texts(context['acceptance']),
    inherited: isJsonObject(inherited)
      ? { from: text(inherited['from']), context: texts(inherited['context']) }
      : undefined,
    summary: readSummary(source['summary']),
  };
}

export function readTask(source: JsonObject): Task | undefined {
  const details = readDetails(source);
  if (details === undefined) return undefined;
  const flow = object(source['flow_control']);
  return {
    ...details,
    source,
    sharedContext: object(object(source['context'])['shared_context']),
    preAnalysis: objects(flow['pre_analysis']).map(readAnalysisStep),
    approach: readApproach(flow['implementation_approach']),
    targetFiles: texts(flow['target_files']),
    statusHistory: Array.isArray(source['status_history']) ? source['status_history'] : [],
  };
}

function readAnalysisStep(source: JsonObject): AnalysisStep {
  const outputTo = source['output_to'];
  const criteria = source['success_criteria'];
  return {
    step: text(source['step']),
    action: text(source['action']),
    commands: typeof source['command'] === 'string' ? [source['command']] : texts(source['commands']),
    ...(typeof outputTo === 'string' && outputTo !== '' ? { outputTo } : {}),
    onError: oneOf(ERROR_STRATEGIES, source['on_error']) ?? 'fail',
    successCriteria: typeof criteria === 'string' ? [criteria] : texts(criteria),
  };
}

function readApproach(source: JsonValue | undefined): Approach {
  if (Array.isArray(source)) {
    const steps = objects(source).map(readApproachStep);
    return steps.length === 0 ? { type: 'none' } : { type: 'steps', steps };
  }
  if (typeof source === 'string' && source !== '') {
    return { type: 'description', description: source, modificationPoints: [], logicFlow: [] };
  }
  if (!isJsonObject(source) || Object.keys(source).length === 0) return { type: 'none' };
  return {
    type: 'description',
    description: text(source['task_description']),
    modificationPoints: texts(source['modification_points']),
    logicFlow: texts(source['logic_flow']),
  };
}

function readApproachStep(source: JsonObject, index: number): ApproachStep {
  const { step, output, command } = source;
  return {
    step: typeof step === 'number' || typeof step === 'string' ? String(step) : String(index + 1),
    title: text(source['title']),
    description: text(source['description']),
    modificationPoints: texts(source['modification_points']),
    logicFlow: texts(source['logic_flow']),
    dependsOn: Array.isArray(source['depends_on']) ? source['depends_on'].map(String) : [],
    ...(typeof output === 'string' && output !== '' ? { output } : {}),
    ...(typeof command === 'string' && command !== '' ? { command } : {}),
  };
}

function readExecution(value: JsonValue | undefined): Execution {
  if (value === undefined) return NEVER_EXECUTED;
  const { attempts, last_attempt, last_error, run_id, cost_usd } = object(value);
  return {
    attempts: typeof attempts === 'number' ? attempts : 0,
    ...(typeof last_attempt === 'string' ? { lastAttempt: last_attempt } : {}),
    ...(typeof last_error === 'string' ? { lastError: last_error } : {}),
    ...(typeof run_id === 'string' ? { runId: run_id } : {}),
    ...(typeof cost_usd === 'number' || cost_usd === null ? { costUsd: cost_usd } : {}),
  };
}

function taskIds(value: JsonValue | undefined): readonly TaskId[] {
  const ids = texts(value);
  return ids.every(isTaskId) ? ids : ids.filter(isTaskId);
}
