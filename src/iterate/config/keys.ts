/** Every setting: what it may be, where it may stand and what holds where nobody has set it. */
import type { JsonValue } from '../../model/json.ts';
import { DEPTHS, NOTIFY_EVENTS, OUTPUT_LEVELS } from '../mode.ts';
import { amount, BOOLEAN, choice, list, PATH_INSIDE, TEXT, type ValueKind, whole } from './kinds.ts';

/** The strongest first. */
export const LAYERS = ['command line', 'workspace', 'project', 'user', 'default'] as const;
export type Layer = (typeof LAYERS)[number];

export interface ConfigKey {
  readonly kind: ValueKind;
  /** Absent: none. */
  readonly default?: JsonValue;
  readonly summary: string;
  /** A workspace cannot say where workspaces are. */
  readonly notInWorkspace?: boolean;
  /** The field of `.metadata.json` that holds it for a workspace, instead of `config`. */
  readonly metadataField?: 'maxIterations' | 'delay' | 'stagnationThreshold' | 'notifyUrl' | 'notifyEvents';
}

/** Agents that are known by name; any other `agent` is a command. */
export const BUILTIN_AGENTS: readonly string[] = ['claude', 'gemini', 'codex'];

export const CONFIG_KEYS: { readonly [key: string]: ConfigKey } = {
  workspacesDir: {
    kind: TEXT,
    default: './claude-iterate/workspaces',
    summary: 'folder of the workspaces',
    notInWorkspace: true,
  },
  templatesDir: {
    kind: TEXT,
    default: './claude-iterate/templates',
    summary: 'folder of the templates',
    notInWorkspace: true,
  },
  archiveDir: {
    kind: TEXT,
    default: './claude-iterate/archive',
    summary: 'folder of the archives',
    notInWorkspace: true,
  },
  globalTemplatesDir: { kind: TEXT, summary: 'folder of templates for every project', notInWorkspace: true },
  agent: {
    kind: TEXT,
    default: 'claude',
    summary: 'claude, gemini, codex or a command that reads its prompt on stdin',
  },
  colors: { kind: BOOLEAN, default: true, summary: 'colours on a terminal' },
  defaultMaxIterations: {
    kind: whole(1),
    summary: 'iterations of a run (50 in loop mode, 20 in iterative mode)',
    metadataField: 'maxIterations',
  },
  defaultDelay: {
    kind: amount(0),
    default: 2,
    summary: 'seconds between iterations',
    metadataField: 'delay',
  },
  defaultStagnationThreshold: {
    kind: whole(0),
    default: 2,
    summary: 'iterations without work that end an iterative run; 0 never',
    metadataField: 'stagnationThreshold',
  },
  outputLevel: { kind: choice(OUTPUT_LEVELS), default: 'progress', summary: 'how much a run says' },
  notifyUrl: { kind: TEXT, summary: 'where notifications go', metadataField: 'notifyUrl' },
  notifyEvents: {
    kind: list(choice(NOTIFY_EVENTS)),
    default: ['all'],
    summary: 'what is notified',
    metadataField: 'notifyEvents',
  },
  'notify.format': {
    kind: choice(['ntfy', 'slack', 'discord', 'json']),
    default: 'ntfy',
    summary: 'how notifications are written',
  },
  checks: { kind: list(TEXT), default: [], summary: 'commands that must succeed before a task is complete' },
  'retry.maxAttempts': {
    kind: whole(1),
    default: 3,
    summary: 'tries of an iteration that a crash or an overload ends',
  },
  'retry.delaysSec': {
    kind: list(amount(0)),
    default: [5, 30, 120],
    summary: 'seconds before each further try',
  },
  idleTimeoutMin: {
    kind: amount(0),
    default: 30,
    summary: 'minutes without a sign of life after which an agent is ended',
  },
  'notification.statusWatch.enabled': {
    kind: BOOLEAN,
    default: true,
    summary: 'notify when .status.json changes',
  },
  'notification.statusWatch.debounceMs': {
    kind: whole(0),
    default: 2000,
    summary: 'milliseconds in which changes are taken together',
  },
  'notification.statusWatch.notifyOnlyMeaningful': {
    kind: BOOLEAN,
    default: true,
    summary: 'ignore changes of the time alone',
  },
  'claude.command': { kind: TEXT, default: 'claude', summary: 'the Claude Code program' },
  'claude.args': { kind: list(TEXT), default: [], summary: 'arguments it always gets' },
  'verification.autoVerify': { kind: BOOLEAN, default: true, summary: 'verify before a task is complete' },
  'verification.resumeOnFail': {
    kind: BOOLEAN,
    default: true,
    summary: 'go on with the findings when verification fails',
  },
  'verification.maxAttempts': { kind: whole(1), default: 2, summary: 'verifications in one run' },
  'verification.reportFilename': {
    kind: PATH_INSIDE,
    default: 'verification-report.md',
    summary: 'the report in the workspace',
  },
  'verification.depth': { kind: choice(DEPTHS), default: 'standard', summary: 'how closely is looked' },
  'verification.notifyOnVerification': {
    kind: BOOLEAN,
    default: true,
    summary: 'notify how a verification ended',
  },
};
