/** A run's folder and workspace in a temp folder, and contexts for effects in it. */
import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { createRunAgent, type RunAgentParts } from '../../src/effects/agent/run-agent.ts';
import type { AgentChoice, RunAgentInput, RunAgentOutput } from '../../src/effects/contracts.ts';
import type { EffectContext, RunSite } from '../../src/engine/durable.ts';
import type { AgentEvent } from '../../src/model/agent.ts';
import type { Progress } from '../../src/model/event.ts';
import { stepKey } from '../../src/model/ids.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { runMark } from '../../src/process/environment.ts';
import { runProcess } from '../../src/process/run-process.ts';
import { markedProcesses } from '../rig/marked-processes.ts';

export interface AgentRig {
  readonly site: RunSite;
  readonly workspace: string;
  readonly progress: readonly Progress[];
  events(): readonly AgentEvent[];
  readonly pids: readonly number[];
  context(options?: {
    readonly key?: string;
    readonly attempt?: number;
    readonly signal?: AbortSignal;
  }): EffectContext;
  /** Reads a file of the workspace. */
  read(path: string): string;
  write(path: string, text: string): void;
  /** Reads a file of the run's folder. */
  readRun(path: string): string;
  readRunJson(path: string): JsonObject;
  runFiles(folder: string): readonly string[];
  /** Processes started for this run that are still alive. */
  leftRunning(): Promise<readonly number[]>;
  remove(): void;
}

export function createAgentRig(): AgentRig {
  const root = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), 'agent-rig-')));
  const workspace = join(root, 'workspace');
  const runId = '20260101T000000Z-abc123';
  const directory = join(workspace, '.orchestrate', 'runs', runId);
  fs.mkdirSync(directory, { recursive: true });
  const site: RunSite = { runId, directory, workspace };
  const progress: Progress[] = [];
  const pids: number[] = [];
  return {
    site,
    workspace,
    progress,
    pids,
    events: () => progress.flatMap((one) => (one.type === 'agent' ? [one.event] : [])),
    context: (options = {}) => ({
      key: stepKey(options.key ?? 'Ask'),
      attempt: options.attempt ?? 1,
      signal: options.signal ?? new AbortController().signal,
      run: site,
      emit: (one) => progress.push(one),
      processStarted: (pid) => pids.push(pid),
    }),
    read: (path) => fs.readFileSync(join(workspace, path), 'utf8'),
    write(path, text) {
      fs.mkdirSync(join(workspace, path, '..'), { recursive: true });
      fs.writeFileSync(join(workspace, path), text);
    },
    readRun: (path) => fs.readFileSync(join(directory, path), 'utf8'),
    readRunJson: (path) => JSON.parse(fs.readFileSync(join(directory, path), 'utf8')) as JsonObject,
    runFiles: (folder) =>
      fs.existsSync(join(directory, folder)) ? fs.readdirSync(join(directory, folder)).sort() : [],
    leftRunning: () => markedProcesses(runMark(site)),
    remove: () => fs.rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

/** A new rig for each test, which must leave nothing running. */
export function agentRigForEach(): AgentRig {
  const rig = {} as AgentRig;
  beforeEach(() => {
    Object.assign(rig, createAgentRig());
  });
  afterEach(async () => {
    const left = await rig.leftRunning();
    rig.remove();
    expect(left, 'processes left running').toEqual([]);
  });
  return rig;
}

export interface CallOptions {
  readonly parts?: Partial<RunAgentParts>;
  readonly key?: string;
  readonly attempt?: number;
  readonly signal?: AbortSignal;
}

/** The effect itself, with real processes. */
export async function callAgent(
  rig: AgentRig,
  input: RunAgentInput,
  { parts, ...context }: CallOptions = {},
): Promise<RunAgentOutput> {
  return await createRunAgent({ runProcess, ...parts })(input, rig.context(context));
}

export function mock(script?: JsonValue): AgentChoice {
  return { type: 'builtin', adapter: 'mock', ...(script !== undefined && { script }) };
}

/** A fake CLI that prints what the test provides. */
export function shell(script: string, adapter: 'claude' | 'codex' | 'plain' = 'plain'): AgentChoice {
  return { type: 'template', name: 'shell', adapter, argv: ['/bin/bash', '-c', script], inputMode: 'stdin' };
}

export const RESULT =
  '{"type":"result","subtype":"success","is_error":false,"result":"Four.","total_cost_usd":0.25}';
export const INIT =
  '{"type":"system","subtype":"init","session_id":"11111111-1111-4111-8111-111111111111","model":"m"}';

/** A prompt of one text, captured as text. */
export function ask(
  prompt: string,
  rest: Omit<RunAgentInput, 'prompt' | 'capture'> & Partial<RunAgentInput>,
): RunAgentInput {
  return { capture: 'text', prompt: [{ type: 'text', text: prompt }], ...rest };
}
