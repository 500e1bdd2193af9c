/** A conversation workspace `talk` with a scripted agent, run by the real binary. */
import path from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { type Ended, type Started, type StartOptions, Workspace } from '../rig/orchestrate.ts';

/** The agent's answer in one iteration: content blocks, a raw text, or a turn of the mock agent's script. */
export type Said = readonly unknown[] | string | { readonly [member: string]: unknown };

export interface TalkSettings {
  /** In iteration order; the last is repeated. */
  readonly says: readonly Said[];
  readonly tools?: readonly { readonly [key: string]: unknown }[];
  readonly workflow?: { readonly [key: string]: unknown };
  readonly files?: { readonly [path: string]: string };
}

export interface Message {
  readonly iteration: number;
  readonly role: string;
  readonly content: unknown;
  readonly timestamp: string;
  readonly session_id: string;
}

export interface ToolResults {
  readonly iteration: number;
  readonly results: readonly {
    readonly tool_use_id: string;
    readonly tool_name: string;
    readonly status: string;
    readonly output: string;
    readonly executed_at: string;
    readonly output_file?: string;
  }[];
}

export const READ_FILE = { name: 'read_file', builtin: 'read_file', parallel_safe: true };
export const WRITE_FILE = { name: 'write_file', builtin: 'write_file' };
export const BUILTINS = [
  READ_FILE,
  WRITE_FILE,
  { name: 'list_files', builtin: 'list_files' },
  { name: 'search', builtin: 'search' },
  { name: 'run_command', builtin: 'run_command' },
];

export function text(said: string): object {
  return { type: 'text', text: said };
}

export function ask(id: string, name: string, input: unknown): object {
  return { type: 'tool_use', id, name, input };
}

export class Talk extends Workspace {
  constructor(settings: TalkSettings) {
    super();
    const workflow = {
      task: 'Do it',
      agent: agentOf(settings.says),
      max_iterations: 5,
      ...settings.workflow,
    };
    this.write({
      'talk/config/workflow.yaml': stringify(workflow),
      'talk/config/tools.yaml': stringify({ tools: settings.tools ?? [READ_FILE, WRITE_FILE] }),
      ...settings.files,
    });
  }

  converse(words: readonly string[], options?: StartOptions): Promise<Ended> {
    return this.run(['converse', ...trusted(words)], options);
  }

  startConverse(words: readonly string[], options?: StartOptions): Started {
    return this.start(['converse', ...trusted(words)], options);
  }

  /** In the workspace's own folders or below `sessions/`. */
  json(name: string, base = 'talk'): unknown {
    return JSON.parse(this.read(path.join(base, name)));
  }

  /** The document of the only conversation in the base. */
  session(base = 'talk'): { readonly [member: string]: unknown } {
    const [name] = this.list(`${base}/state`).filter(
      (one) => one.endsWith('.json') && one !== 'tool_results.json',
    );
    return this.json(`state/${name}`, base) as { [member: string]: unknown };
  }

  results(base = 'talk'): ToolResults {
    return this.json('state/tool_results.json', base) as ToolResults;
  }

  history(base = 'talk'): readonly Message[] {
    const lines = this.read(`${base}/state/message_history.jsonl`).split('\n');
    if (lines.pop() !== '') throw new Error('the history does not end with a newline');
    return lines.map((line) => JSON.parse(line));
  }

  /** `1 user`, `1 assistant`, `2 user`, … */
  turns(base = 'talk'): readonly string[] {
    return this.history(base).map(({ iteration, role }) => `${iteration} ${role}`);
  }
}

const MOST_ITERATIONS = 20;

/** Trusts the files of these conversations as the user's own. */
function trusted(words: readonly string[]): readonly string[] {
  return words[0] === 'run' || words[0] === 'resume' ? [...words, '--trust'] : words;
}

export function agentOf(says: readonly Said[]): object {
  const cases = Array.from({ length: MOST_ITERATIONS }, (_, index) => ({
    prompt: `This is iteration ${index + 1} of`,
    ...turnOf(says[Math.min(index, says.length - 1)] ?? []),
  }));
  return { name: 'mock', script: { cases } };
}

function turnOf(said: Said): { readonly [member: string]: unknown } {
  if (typeof said === 'string') return { answer: said };
  return Array.isArray(said) ? { structured: { content: said } } : (said as { [member: string]: unknown });
}

/** One turn with tools, then the end. */
export function once(requests: readonly object[], tools: readonly object[], files = {}): Talk {
  return new Talk({
    says: [requests, [text('Done.')]],
    tools: tools as { [key: string]: unknown }[],
    files: { 'talk/a.txt': 'alpha\nbeta\n', ...files },
  });
}

export async function resultsOf(talk: Talk): Promise<readonly (readonly [string, string])[]> {
  const ended = await talk.converse(['run', 'talk']);
  expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
  return talk.results().results.map(({ status, output }) => [status, output] as const);
}
