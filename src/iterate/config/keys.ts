/** Every setting: its type, the files it may be set in, and its default. */
import type { JsonValue } from '../../model/json.ts';
import { NETWORK_LEVELS, SANDBOX_LEVELS } from '../../model/sandbox.ts';
import { DEPTHS, NOTIFY_EVENTS, OUTPUT_LEVELS } from '../mode.ts';
import {
  ASK_RULE,
  amount,
  BOOLEAN,
  choice,
  list,
  PATH_INSIDE,
  TEXT,
  type ValueKind,
  whole,
} from './kinds.ts';

/** Strongest first. */
export const LAYERS = ['command line', 'workspace', 'project', 'user', 'default'] as const;
export type Layer = (typeof LAYERS)[number];

export interface ConfigKey {
  readonly kind: ValueKind;
  /** Absent: no default. */
  readonly default?: JsonValue;
  readonly summary: string;
  /** Cannot be set in a workspace, such as the folder of the workspaces. */
  readonly notInWorkspace?: boolean;
  /** The field of `.metadata.json` that stores it for a workspace, instead of `config`. */
  readonly metadataField?: 'maxIterations' | 'delay' | 'stagnationThreshold' | 'notifyUrl' | 'notifyEvents';
}

/** Agents known by name; any other `agent` is a command. */
export const BUILTIN_AGENTS: readonly string[] = ['claude', 'gemini', 'codex', 'opencode', 'copilot', 'qwen'];

export const CONFIG_KEYS: { readonly [key: string]: ConfigKey } = {
  workspacesDir: {
    kind: TEXT,
    default: './claude-iterate/workspaces',
    summary: 'folder for workspaces',
    notInWorkspace: true,
  },
  templatesDir: {
    kind: TEXT,
    default: './claude-iterate/templates',
    summary: 'folder for templates',
    notInWorkspace: true,
  },
  archiveDir: {
    kind: TEXT,
    default: './claude-iterate/archive',
    summary: 'folder for archives',
    notInWorkspace: true,
  },
  reportsDir: {
    kind: TEXT,
    default: './claude-iterate/reports',
    summary: 'folder for the reports of `queue run`',
    notInWorkspace: true,
  },
  globalTemplatesDir: {
    kind: TEXT,
    summary: 'folder for templates shared by all projects',
    notInWorkspace: true,
  },
  agent: {
    kind: TEXT,
    default: 'claude',
    summary: 'claude, gemini, codex, opencode, copilot, qwen or a command that reads the prompt from stdin',
  },
  fallback: {
    kind: list(TEXT),
    default: [],
    summary: 'agents that take over, in order, when the agent has reached its usage limit or cannot be used',
  },
  colors: { kind: BOOLEAN, default: true, summary: 'use colors on a terminal' },
  defaultMaxIterations: {
    kind: whole(1),
    summary: 'maximum iterations per run (default: 50 in loop mode, 20 in iterative mode)',
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
    summary: 'stop an iterative run after this many iterations without work (0: never)',
    metadataField: 'stagnationThreshold',
  },
  outputLevel: { kind: choice(OUTPUT_LEVELS), default: 'progress', summary: 'how much output a run shows' },
  notifyUrl: { kind: TEXT, summary: 'URL that notifications are sent to', metadataField: 'notifyUrl' },
  notifyEvents: {
    kind: list(choice(NOTIFY_EVENTS)),
    default: ['all'],
    summary: 'events that send a notification',
    metadataField: 'notifyEvents',
  },
  'notify.format': {
    kind: choice(['ntfy', 'slack', 'discord', 'json']),
    default: 'ntfy',
    summary: 'format of notifications',
  },
  checks: { kind: list(TEXT), default: [], summary: 'commands that must succeed before a task is complete' },
  checkTimeoutSec: { kind: amount(0.001), default: 1800, summary: 'time limit for each check, in seconds' },
  sandbox: {
    kind: choice([...SANDBOX_LEVELS, 'off']),
    default: 'off',
    summary: 'what the agent and the checks may write (Linux, needs bubblewrap)',
  },
  network: {
    kind: choice(NETWORK_LEVELS),
    default: 'model',
    summary: 'with a sandbox: what they may reach',
  },
  allowHosts: {
    kind: list(TEXT),
    default: [],
    summary: 'with a sandbox and the network `model`: more addresses that they may reach',
  },
  ask: {
    kind: list(ASK_RULE),
    summary: 'rules for the tool calls of Claude Code: which a person is asked about, which are denied',
  },
  'retry.maxAttempts': {
    kind: whole(1),
    default: 3,
    summary: 'attempts per iteration after a crash or overload',
  },
  'retry.delaysSec': {
    kind: list(amount(0)),
    default: [5, 30, 120],
    summary: 'seconds before each retry',
  },
  idleTimeoutMin: {
    kind: amount(0),
    default: 30,
    summary: 'stop an agent after this many minutes without output',
  },
  'git.checkpoint': { kind: BOOLEAN, default: false, summary: 'commit the work of every iteration' },
  'git.branch': { kind: TEXT, summary: 'branch for these commits, created if it does not exist' },
  'git.worktree': { kind: BOOLEAN, default: false, summary: 'work in a git worktree of its own' },
  'notification.statusWatch.enabled': {
    kind: BOOLEAN,
    default: true,
    summary: 'notify when .status.json changes',
  },
  'notification.statusWatch.debounceMs': {
    kind: whole(0),
    default: 2000,
    summary: 'milliseconds in which changes are combined',
  },
  'notification.statusWatch.notifyOnlyMeaningful': {
    kind: BOOLEAN,
    default: true,
    summary: 'ignore changes of only the timestamp',
  },
  'claude.command': { kind: TEXT, default: 'claude', summary: 'the Claude Code program' },
  'claude.args': {
    kind: list(TEXT),
    default: [],
    summary:
      'arguments always passed to it; --dangerously-skip-permissions lets it do anything without asking',
  },
  'verification.autoVerify': {
    kind: BOOLEAN,
    default: true,
    summary: 'verify the work before a task is complete',
  },
  'verification.resumeOnFail': {
    kind: BOOLEAN,
    default: true,
    summary: 'continue with the findings when verification fails',
  },
  'verification.maxAttempts': { kind: whole(1, 10), default: 2, summary: 'maximum verifications per run' },
  'verification.reportFilename': {
    kind: PATH_INSIDE,
    default: 'verification-report.md',
    summary: 'file name of the report in the workspace',
  },
  'verification.depth': {
    kind: choice(DEPTHS),
    default: 'standard',
    summary: 'how thorough verification is',
  },
  'verification.notifyOnVerification': {
    kind: BOOLEAN,
    default: true,
    summary: 'notify the result of a verification',
  },
};
