/** A workspace with phases, and hooks called as Claude Code calls them. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PhasesDocument } from '../../src/phases/document.ts';
import type { HistoryLine } from '../../src/phases/history-line.ts';
import { type Ended, Workspace } from '../rig/orchestrate.ts';

export const BINARY =
  process.env['ORCHESTRATE_BINARY'] ??
  path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'bin', 'orchestrate.js');

export const DOCUMENT = '.claude/state/workflow.json';
export const VIEW = '.claude/workflow_state_system.md';

export class PhasesSite extends Workspace {
  document(): PhasesDocument {
    return JSON.parse(this.read(DOCUMENT));
  }

  statuses(): readonly string[] {
    return this.document().phases.map(({ status }) => status);
  }

  history(): readonly (HistoryLine & { readonly [key: string]: unknown })[] {
    const file = '.claude/state/workflow-history.jsonl';
    if (!this.has(file)) return [];
    return this.read(file)
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  phases(...words: readonly string[]): Promise<Ended> {
    return this.run(['phases', ...words]);
  }

  async create(...phases: readonly string[]): Promise<void> {
    const flags = phases.flatMap((phase) => ['--phase', phase]);
    const ended = await this.phases('create', 'Create calculator.py with tests and verify', ...flags);
    if (ended.exitCode !== 0) throw new Error(ended.stderr);
  }

  /** `input`: an object is sent as JSON. */
  hook(
    event: string,
    input: unknown,
    env: { readonly [name: string]: string } = {},
    by: { readonly uid?: number; readonly gid?: number; readonly binary?: string } = {},
  ): Promise<Ended> {
    const { binary = BINARY, ...user } = by;
    const child = spawn(process.execPath, [binary, 'hook', event], {
      ...user,
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: this.folder,
        XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
        GIT_CONFIG_NOSYSTEM: '1',
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // A hook that needs no input may exit before it is sent.
    child.stdin.on('error', () => {});
    child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
    return ended(child);
  }
}

function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }));
  });
}

/** The event Claude Code sends when an agent has ended. */
export function agentEnded(given: {
  readonly prompt: string;
  readonly answer?: string;
  readonly agentId?: string;
  readonly useId?: string;
  readonly response?: unknown;
}): object {
  const { prompt, answer = 'Done.', agentId = 'a1', useId = 'toolu_1' } = given;
  return {
    hook_event_name: 'PostToolUse',
    session_id: 'session-1',
    tool_name: 'Agent',
    tool_input: { description: 'a phase', prompt, subagent_type: 'general-purpose' },
    tool_response: given.response ?? {
      status: 'completed',
      prompt,
      agentId,
      content: [{ type: 'text', text: answer }],
    },
    tool_use_id: useId,
  };
}

/** The context that a hook gives the model. */
export function contextOf({ stdout }: Ended): string {
  return JSON.parse(stdout).hookSpecificOutput.additionalContext;
}

/** A workflow with two phases, neither of them started. */
export async function calculator(): Promise<PhasesSite> {
  const site = new PhasesSite();
  await site.create('Create calculator module::general-purpose', 'Write and run tests::tester');
  return site;
}
