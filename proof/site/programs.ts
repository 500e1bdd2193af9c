/**
 * The five programs, each with one task for an agent. The agent is a stand-in for Claude Code: a shell script that runs the
 * point's `body` and has two commands of its own:
 *
 *   begin     reports the start of a conversation
 *   finish    writes what the program waits for, and reports the result
 */
import type { Site } from './site.ts';

export interface ProgramCase {
  readonly name: 'workflow' | 'iterate' | 'session' | 'converse' | 'phases';
  /** Sets up the site too. */
  prepare(site: Site): Promise<void>;
  readonly start: readonly string[];
  readonly resume: readonly string[];
  /** Exit code if another process holds it. */
  readonly heldCode: number;
  /** The fields of the agent's result. */
  readonly structured?: object;
  /** Shell code: what the agent writes before its result. */
  readonly leaves?: string;
}

export interface ProgramOptions {
  /** Timeout of the agent call in seconds. */
  readonly timeoutSec?: number;
  readonly idleTimeoutSec?: number;
  /** Maximum iterations of a loop per run. */
  readonly iterations?: number;
}

const ITERATE_WORKSPACE = 'claude-iterate/workspaces/task';
const ITERATE_RUN = ['iterate', 'run', 'task', '--no-verify', '--no-delay', '--quiet'];
const EXECUTE = ['execute', '--agent', 'claude', '--quiet'];

export function programCases(options: ProgramOptions = {}): readonly ProgramCase[] {
  const { timeoutSec, idleTimeoutSec, iterations } = options;
  const limits = {
    ...(timeoutSec === undefined ? {} : { timeout_sec: timeoutSec }),
    ...(idleTimeoutSec === undefined ? {} : { idle_timeout_sec: idleTimeoutSec }),
  };
  const phasesRun = [
    ...['phases', 'run', '--agent', 'claude', '--retries', '0', '--quiet'],
    ...(timeoutSec === undefined ? [] : ['--timeout', String(timeoutSec)]),
  ];
  const iterateRun = [
    ...ITERATE_RUN,
    ...(timeoutSec === undefined ? [] : ['--iteration-timeout', String(timeoutSec)]),
    ...(iterations === undefined ? [] : ['--max-iterations', String(iterations)]),
  ];
  return [
    {
      name: 'workflow',
      heldCode: 4,
      start: ['run', 'work.yaml', '--quiet'],
      resume: ['resume', 'last', '--quiet'],
      async prepare(site) {
        const steps = [
          { name: 'Before', command: ['sh', '-c', 'echo before >> before.log'] },
          { name: 'Work', provider: 'claude', input_file: 'prompt.txt', retries: 0, ...limits },
          { name: 'After', command: ['sh', '-c', 'echo after >> after.log'] },
        ];
        site.write({ 'work.yaml': JSON.stringify({ name: 'work', steps }), 'prompt.txt': 'Do it.\n' });
      },
    },
    {
      name: 'iterate',
      heldCode: 1,
      start: iterateRun,
      resume: iterateRun,
      leaves: `printf '{"complete":true}' > "$HOME/${ITERATE_WORKSPACE}/.status.json"`,
      async prepare(site) {
        await site.ok(['iterate', 'init', 'task', '--agent', 'claude']);
        const settings = { retry: { maxAttempts: 1 } };
        const idle = idleTimeoutSec === undefined ? {} : { idleTimeoutMin: idleTimeoutSec / 60 };
        site.write({
          [`${ITERATE_WORKSPACE}/INSTRUCTIONS.md`]: 'Do it.\n',
          '.claude-iterate.json': JSON.stringify({ ...settings, ...idle }),
        });
      },
    },
    {
      name: 'session',
      heldCode: 4,
      start: EXECUTE,
      resume: EXECUTE,
      structured: {
        ...{ approach: 'did it', files_modified: [], key_decisions: [], shared_context: {} },
        ...{ integration_points: [], verification: [], notes: '' },
      },
      async prepare(site) {
        await site.ok(['session', 'start', 'Work']);
        await site.ok(['task', 'create', '--title', 'Do it']);
      },
    },
    {
      name: 'converse',
      heldCode: 4,
      start: ['converse', 'run', 'talk', '--session', 'one', '--quiet'],
      resume: ['converse', 'resume', 'talk', '--session', 'one', '--quiet'],
      structured: { content: [{ type: 'text', text: 'done' }] },
      async prepare(site) {
        await site.ok(['converse', 'init', 'talk', '--template', 'mock']);
        const agent = { name: 'claude', ...limits };
        const workflow = { task: 'Do it', agent, limits: { max_consecutive_errors: 1 }, max_iterations: 3 };
        site.write({ 'talk/config/workflow.yaml': JSON.stringify(workflow) });
      },
    },
    {
      name: 'phases',
      heldCode: 4,
      start: phasesRun,
      resume: phasesRun,
      structured: { status: 'completed', deliverables: [], context_for_next: '', error: '' },
      async prepare(site) {
        await site.ok(['phases', 'create', 'Work', '--phase', 'Do it', '--quiet']);
      },
    },
  ];
}

export function programCase(name: ProgramCase['name'], options?: ProgramOptions): ProgramCase {
  const found = programCases(options).find((one) => one.name === name);
  if (found === undefined) throw new Error(`no program ${name}`);
  return found;
}

/** The agent of a program, on the PATH of its site. */
export function writeAgent(site: Site, program: ProgramCase, body: string): void {
  const session_id = '00000000-0000-4000-8000-000000000001';
  const begun = { type: 'system', subtype: 'init', session_id, model: 'stand-in' };
  const result = {
    ...{ type: 'result', subtype: 'success', is_error: false, result: 'done', session_id },
    ...{ total_cost_usd: 0.01, num_turns: 1, usage: { input_tokens: 1, output_tokens: 1 } },
    ...(program.structured === undefined ? {} : { structured_output: program.structured }),
  };
  site.write({
    '.bin/claude': [
      '#!/bin/sh',
      `case "$*" in *--version*) echo '2.1.197 (Claude Code)'; exit 0;; esac`,
      `begin() { printf '%s\\n' '${JSON.stringify(begun)}'; }`,
      `finish() { ${program.leaves ?? ':'}; printf '%s\\n' '${JSON.stringify(result)}'; }`,
      'cat > /dev/null',
      body,
      '',
    ].join('\n'),
  });
}
