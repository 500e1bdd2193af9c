/**
 * A task as the rest of the program reads it. The complete document is kept as `source`, so fields added by a user or another version
 * survive every change. Reading is lenient, so that one bad field hides nothing else; `check/` reports what is wrong.
 */
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { isTaskId, parentIdOf, parseTaskId, type TaskId } from '../ids.ts';
import { object, oneOf, text, texts } from './fields.ts';
import { EARLIER, type Figures, type FiguresByRun, readFigures, readFiguresByRun } from './figures.ts';
import { type AnalysisStep, type Approach, readAnalysis, readApproach } from './flow.ts';
import { concretePaths } from './paths.ts';
import { memberOf } from './task-parts.ts';
import { readSummary, type TaskSummary } from './task-summary.ts';

export const TASK_STATUSES = ['pending', 'active', 'completed', 'blocked', 'container'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const TASK_TYPES = ['feature', 'bugfix', 'refactor', 'test', 'docs'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/** Words that other tools use for the five statuses. */
const STATUS_WORDS: Readonly<Record<string, TaskStatus>> = {
  todo: 'pending',
  not_started: 'pending',
  ready: 'pending',
  planned: 'pending',
  in_progress: 'active',
  running: 'active',
  done: 'completed',
  complete: 'completed',
  failed: 'blocked',
};

/** Undefined: the word is unknown. A document without a status is pending. */
export function statusFrom(value: JsonValue | undefined): TaskStatus | undefined {
  if (value === undefined || value === null || value === '') return 'pending';
  const word = text(value);
  return oneOf(TASK_STATUSES, word) ?? (Object.hasOwn(STATUS_WORDS, word) ? STATUS_WORDS[word] : undefined);
}

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

/** With the figures of all runs that worked on it. */
export interface Execution extends Figures {
  readonly attempts: number;
  readonly lastAttempt?: string;
  readonly lastError?: string;
  readonly runId?: string;
  /** The figures of each run, if several worked on it. */
  readonly runs?: FiguresByRun;
  /** Its finished work is on this branch and not merged. */
  readonly keptBranch?: string;
  /** Why the user rejected that work. */
  readonly reviewComment?: string;
}

export function readOutline(source: JsonObject): TaskOutline | undefined {
  const id = parseTaskId(text(source['id']));
  if (id === undefined) return undefined;
  return {
    id,
    title: titleOf(source, id),
    status: statusFrom(source['status']) ?? 'pending',
    type: text(memberOf(source, 'meta', 'type')),
    agent: agentOf(source),
    parent: parentIdOf(id),
    dependsOn: taskIds(memberOf(source, 'context', 'depends_on')),
    execution: readExecution(source['execution']),
    hasSummary: isJsonObject(source['summary']),
  };
}

/** The first line of the description, or the id, if there is no title. */
export function titleOf(source: JsonObject, id: string): string {
  const title = text(source['title']);
  if (title !== '') return title;
  const [line = ''] = (text(source['name']) || text(source['description'])).split('\n', 1);
  return line === '' ? id : line;
}

/** Some tools write `@code-developer`. */
function agentOf(source: JsonObject): string {
  const agent = text(memberOf(source, 'meta', 'agent'));
  return agent.startsWith('@') ? agent.slice(1) : agent;
}

export const NEVER_EXECUTED: Execution = { attempts: 0 };

/** Written out: with thousands of tasks, merging two objects for each would be a tenth of the work. */
export function readDetails(source: JsonObject): TaskDetails | undefined {
  const id = parseTaskId(text(source['id']));
  if (id === undefined) return undefined;
  const inherited = memberOf(source, 'context', 'inherited');
  return {
    id,
    title: titleOf(source, id),
    status: statusFrom(source['status']) ?? 'pending',
    type: text(memberOf(source, 'meta', 'type')),
    agent: agentOf(source),
    parent: parentIdOf(id),
    dependsOn: taskIds(memberOf(source, 'context', 'depends_on')),
    execution: readExecution(source['execution']),
    hasSummary: isJsonObject(source['summary']),
    requirements: texts(memberOf(source, 'context', 'requirements')),
    focusPaths: concretePaths(texts(memberOf(source, 'context', 'focus_paths'))),
    acceptance: texts(memberOf(source, 'context', 'acceptance')),
    inherited: isJsonObject(inherited)
      ? { from: text(inherited['from']), context: texts(inherited['context']) }
      : undefined,
    summary: readSummary(source['summary']),
  };
}

export function readTask(source: JsonObject): Task | undefined {
  const details = readDetails(source);
  if (details === undefined) return undefined;
  return {
    ...details,
    source,
    sharedContext: object(memberOf(source, 'context', 'shared_context')),
    preAnalysis: withPackagePath(readAnalysis(memberOf(source, 'flow_control', 'pre_analysis')), source),
    approach: readApproach(memberOf(source, 'flow_control', 'implementation_approach')),
    targetFiles: texts(memberOf(source, 'flow_control', 'target_files')),
    statusHistory: Array.isArray(source['status_history']) ? source['status_history'] : [],
  };
}

/** Some tools write `Read({{context_package_path}})`, with the path in the document. */
function withPackagePath(steps: readonly AnalysisStep[], source: JsonObject): readonly AnalysisStep[] {
  const path = text(source['context_package_path']);
  if (!/^[\w./-]+$/.test(path)) return steps;
  return steps.map((step) => ({
    ...step,
    commands: step.commands.map((command) => command.replaceAll('{{context_package_path}}', path)),
  }));
}

function readExecution(value: JsonValue | undefined): Execution {
  if (value === undefined) return NEVER_EXECUTED;
  const execution = object(value);
  const { attempts, last_attempt, last_error, run_id, runs, kept_branch, review_comment } = execution;
  return {
    attempts: typeof attempts === 'number' ? attempts : 0,
    ...(typeof last_attempt === 'string' ? { lastAttempt: last_attempt } : {}),
    ...(typeof last_error === 'string' ? { lastError: last_error } : {}),
    ...(typeof run_id === 'string' ? { runId: run_id } : {}),
    ...readFigures(execution),
    ...(isJsonObject(runs) ? { runs: readFiguresByRun(runs) } : {}),
    ...(typeof kept_branch === 'string' ? { keptBranch: kept_branch } : {}),
    ...(typeof review_comment === 'string' ? { reviewComment: review_comment } : {}),
  };
}

/** What each run has spent on the task. A document without `runs` has only the figures of one run. */
export function figuresByRun({ runs, runId = EARLIER, spent, workedMs }: Execution): FiguresByRun {
  if (runs !== undefined) return runs;
  return spent === undefined && workedMs === undefined ? {} : { [runId]: defined({ spent, workedMs }) };
}

/** Also ids in one text, separated by commas. */
function taskIds(value: JsonValue | undefined): readonly TaskId[] {
  const ids = texts(value);
  return ids.every(isTaskId) ? ids : dependencyIds(ids).filter(isTaskId);
}

export function dependencyIds(given: readonly string[]): readonly string[] {
  return given.flatMap((each) => each.split(/[\s,]+/)).filter((each) => each !== '');
}
