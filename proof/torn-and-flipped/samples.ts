/** Files written by the product, with the commands that read each. */
import fs from 'node:fs';
import path from 'node:path';
import { type ProgramCall, runProgram } from '../program.ts';
import type { Readers } from '../rig/readers.ts';
import type { Context } from '../suite.ts';

export interface Sample {
  readonly name: string;
  /** Below the folder. */
  readonly file: string;
  readonly folder: string;
  readonly reader?: keyof Readers;
  readonly probes: readonly Probe[];
  /** Whether its damage is reported, or the file is optional: a view, or the holder of a lock. */
  readonly isNeeded: boolean;
  /** JSON, one document or one per line. */
  readonly format: 'journal' | 'json' | 'lines';
}

export interface Probe {
  readonly argv: readonly string[];
  readonly program?: NonNullable<ProgramCall['program']>;
}

const WORKFLOW = `name: sample
steps:
  - {name: First, command: [echo, one]}
  - {name: Each, for_each: {items: [a, b, c], steps: [{name: Work, command: [echo, "\${item}"]}]}}
  - {name: Ask, provider: mock, input_file: prompt.md}
  - {name: Sure, approve: {message: "Continue?", choices: [yes, no]}}
`;

const TALK = {
  'talk/config/workflow.yaml': JSON.stringify({
    ...{ task: 'Do it', max_iterations: 2 },
    agent: { name: 'mock', script: { structured: { content: [{ type: 'text', text: 'Done.' }] } } },
  }),
  'talk/config/tools.yaml': JSON.stringify({ tools: [{ name: 'read_file', builtin: 'read_file' }] }),
};
const TASKS = JSON.stringify({ tasks: [{ id: 'IMPL-1', title: 'Write it' }] });

export async function makeSamples(context: Context): Promise<readonly Sample[]> {
  const folder = context.folder();
  const files = { 'w.yaml': WORKFLOW, 'prompt.md': 'Say it.\n', 'tasks.json': TASKS, ...TALK };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  const run = async (argv: readonly string[], exitCode = 0, program?: Probe['program']): Promise<void> => {
    const ended = await runProgram({
      ...{ root: context.root, folder, argv, signal: new AbortController().signal },
      ...(program === undefined ? {} : { program }),
    });
    if (ended.exitCode !== exitCode) throw new Error(`${argv.join(' ')}: ${ended.exitCode}\n${ended.stderr}`);
  };
  await run(['run', 'w.yaml', '--record', '--quiet'], 3);
  await run(['approve', 'last', 'Sure', '--choose', 'yes']);
  await run(['phases', 'create', 'Write it', '--phase', 'Module', '--phase', 'Tests']);
  await run(['init', 'task'], 0, 'claude-iterate');
  await run(['session', 'start', 'Work']);
  await run(['plan', '--from', 'tasks.json']);
  await run(['converse', 'run', 'talk', '--session', 'mine', '-q']);
  const [runId = ''] = fs.readdirSync(path.join(folder, '.orchestrate', 'runs')).sort();
  const of = (name: string): string => `.orchestrate/runs/${runId}/${name}`;
  const words = (...lines: readonly string[]): readonly Probe[] =>
    lines.map((line) => ({ argv: line.split(' ') }));
  const iterate = (line: string): Probe => ({ argv: line.split(' '), program: 'claude-iterate' });
  const json = { folder, isNeeded: true, format: 'json' } as const;
  return [
    {
      ...{ name: 'journal', folder, file: of('journal.jsonl'), reader: 'journal', format: 'journal' },
      ...{ isNeeded: true, probes: words(`show ${runId}`, `resume ${runId} --quiet`, `doctor ${runId}`) },
    },
    {
      ...json,
      name: 'state',
      file: of('state.json'),
      isNeeded: false,
      probes: words(`show ${runId} --json`, 'runs --json', 'costs --json'),
    },
    { ...json, name: 'answer', file: of('answers/Sure.json'), probes: words(`resume ${runId} --quiet`) },
    {
      ...{ name: 'cassette', folder, file: of('cassettes/Ask.jsonl'), reader: 'cassette', format: 'lines' },
      ...{ isNeeded: true, probes: words(`run w.yaml --replay ${runId} --quiet`) },
    },
    {
      ...{ ...json, name: 'phases', file: '.claude/state/workflow.json', reader: 'phases' },
      probes: words('phases show', 'phases next'),
    },
    {
      ...{ ...json, name: 'metadata', file: 'claude-iterate/workspaces/task/.metadata.json' },
      ...{ reader: 'metadata', probes: [iterate('show task'), iterate('list')] },
    },
    {
      ...{ ...json, name: 'task', file: '.workflow/WFS-work/.task/IMPL-1.json' },
      probes: words('task show IMPL-1', 'task validate'),
    },
    {
      ...{ ...json, name: 'session', file: '.workflow/WFS-work/workflow-session.json' },
      probes: words('session status', 'session list'),
    },
    {
      ...{ ...json, name: 'conversation', file: 'talk/state/mine.json', reader: 'conversation' },
      probes: words('converse resume talk --session mine'),
    },
  ];
}
