/** A folder made by another user: everything it runs writes a mark, and no mark is written before the user agrees. */
import fs from 'node:fs';
import path from 'node:path';
import { must, shortened } from '../must.ts';
import { createSite, type Site } from '../site/site.ts';
import type { Point, Trial } from '../suite.ts';

interface Way {
  readonly name: string;
  /** `@` stands for the program that writes the mark. */
  readonly files: Readonly<Record<string, string>>;
  /** Commands that the other user ran in it. */
  readonly theirs?: readonly (readonly string[])[];
  /** Other files they left. */
  readonly left?: Readonly<Record<string, string>>;
  /** The user's commands, each of which would run it. */
  readonly mine: readonly (readonly string[])[];
  /** With `--trust`, the last command need not write a mark, because nothing answers it. */
  readonly needsMore?: boolean;
}

const WORKSPACE = 'claude-iterate/workspaces/task';
const RUN = ['iterate', 'run', 'task', '--no-verify', '--no-delay', '--quiet'];
const LOOP = [['iterate', 'validate', 'task'], ['iterate', 'verify', 'task'], RUN];
const METADATA = {
  ...{ name: 'task', created: '2026-01-31T12:00:00.000Z', status: 'in_progress', mode: 'loop' },
  ...{ totalIterations: 0, setupIterations: 0, executionIterations: 0, maxIterations: 1, delay: 0 },
};
const RETRY = { maxAttempts: 1 };

/** A loop with settings in the project or in the workspace itself. */
function loops(name: string, settings: object): readonly Way[] {
  const instructions = { [`${WORKSPACE}/INSTRUCTIONS.md`]: 'Do it.\n' };
  return [
    {
      name: `iterate/${name}/project`,
      files: { ...instructions, '.claude-iterate.json': JSON.stringify({ ...settings, retry: RETRY }) },
      left: { [`${WORKSPACE}/.metadata.json`]: JSON.stringify(METADATA) },
      mine: LOOP,
    },
    {
      name: `iterate/${name}/workspace`,
      files: instructions,
      left: {
        [`${WORKSPACE}/.metadata.json`]: JSON.stringify({
          ...METADATA,
          config: { ...settings, retry: RETRY },
        }),
      },
      mine: LOOP,
    },
    {
      name: `iterate/${name}/template`,
      files: {
        'claude-iterate/templates/theirs/INSTRUCTIONS.md': 'Do it.\n',
        'claude-iterate/templates/theirs/template.json': JSON.stringify({
          ...{ name: 'theirs', mode: 'loop', maxIterations: 1, delay: 0 },
          config: { ...settings, retry: RETRY },
        }),
      },
      mine: [['iterate', 'template', 'use', 'theirs', 'task'], ...LOOP],
    },
  ];
}

const SCRIPT = { structured: { content: [{ type: 'tool_use', id: 't', name: 'mark', input: {} }] } };

function conversation(name: string, agent: object, tool?: object): Way {
  return {
    name: `converse/${name}`,
    files: {
      'talk/config/workflow.yaml': JSON.stringify({ task: 'Do it', max_iterations: 1, agent }),
      'talk/config/tools.yaml': JSON.stringify({ tools: tool === undefined ? [] : [tool] }),
    },
    mine: [['converse', 'run', 'talk', '--quiet']],
  };
}

function task(name: string, more: object): Way {
  return {
    name: `session/${name}`,
    files: {},
    theirs: [['session', 'start', 'Work']],
    left: {
      '.workflow/WFS-work/.task/IMPL-1.json': JSON.stringify({
        ...{ id: 'IMPL-1', title: 'Do it', status: 'pending' },
        meta: { type: 'feature', agent: 'code-developer' },
        context: { requirements: [], focus_paths: [], acceptance: [], depends_on: [] },
        flow_control: { implementation_approach: [{ step: 1, title: 'nothing', command: 'true' }] },
        ...more,
      }),
    },
    mine: [
      ['execute', 'IMPL-1', '--quiet'],
      ['execute', '--quiet'],
    ],
  };
}

const FAILS = (more = '') => `name: w
steps:
  - {name: First, command: ["true"]}
  - {name: Second, command: [sh, -c, "test -e ready && @"], retries: 0}
${more}`;

const WAYS: readonly Way[] = [
  ...loops('command', { claude: { command: '@' } }),
  ...loops('agent', { agent: '@' }),
  {
    name: 'iterate/queue',
    files: { [`${WORKSPACE}/INSTRUCTIONS.md`]: 'Do it.\n' },
    left: {
      [`${WORKSPACE}/.metadata.json`]: JSON.stringify({ ...METADATA, config: { retry: RETRY } }),
      'claude-iterate/workspaces/.queue.json': JSON.stringify({
        version: 1,
        loops: [{ name: 'task', options: { agent: '@', verifies: false }, addedAt: METADATA.created }],
      }),
    },
    mine: [['iterate', 'queue', 'run']],
  },
  {
    name: 'run/workflow',
    files: { 'w.yaml': FAILS() },
    theirs: [['run', 'w.yaml', '--quiet']],
    left: { ready: '' },
    mine: [
      ['resume', 'last', '--force-restart', '--quiet'],
      ['fork', 'last', '--from', 'Second', '--quiet'],
      ['resume', 'last', '--quiet'],
    ],
  },
  {
    name: 'run/finally',
    files: {
      'w.yaml':
        'name: w\nsteps:\n  - {name: Ask, approve: {message: "?"}}\nfinally:\n  - {name: Tidy, command: ["@"]}\n',
    },
    theirs: [['run', 'w.yaml', '--quiet']],
    mine: [['cancel', 'last']],
    needsMore: true,
  },
  task('analysis', {
    flow_control: {
      pre_analysis: [{ step: 'look', action: 'look', command: 'bash(@)' }],
      implementation_approach: [{ step: 1, title: 'nothing', command: 'true' }],
    },
  }),
  task('approach', { flow_control: { implementation_approach: [{ step: 1, title: 'it', command: '@' }] } }),
  task('acceptance', {
    context: { requirements: [], focus_paths: [], acceptance: ['command: @'], depends_on: [] },
  }),
  conversation('agent', { name: 'own', command: ['@'] }),
  conversation('program', { name: 'claude', command: ['@'] }),
  conversation('tool', { name: 'mock', script: SCRIPT }, { name: 'mark', command: ['@'] }),
  {
    name: 'agent/claude-settings',
    files: {
      'w.yaml': 'name: w\nsteps:\n  - {name: Ask, provider: claude, input_file: w.yaml, retries: 0}\n',
      '.claude/settings.json':
        '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "@"}]}]}}',
      // Instead of a CLI that would run the hook.
      '.bin/claude': '#!/bin/sh\nexec @\n',
    },
    mine: [
      ['run-step', 'Ask', '--workflow', 'w.yaml', '--quiet'],
      ['run', 'w.yaml', '--quiet'],
    ],
  },
];

export function* trustPoints(): Generator<Point> {
  for (const way of WAYS) yield { id: `trust/${way.name}`, check: (trial) => tryWay(trial, way) };
}

async function tryWay(trial: Trial, way: Way): Promise<void> {
  const homes = trial.folder();
  const mark = path.join(homes, 'mark');
  const program = path.join(homes, 'leave-mark');
  fs.writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  const filled = (files: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll('@', program)]));
  const site = createSite(trial);
  const as = (home: string, argv: readonly string[]): ReturnType<Site['run']> =>
    site.run(argv, { env: { HOME: path.join(homes, home) } });
  site.write(filled(way.files));
  for (const argv of way.theirs ?? []) await as('theirs', argv);
  site.write(filled(way.left));
  fs.rmSync(mark, { force: true });
  for (const argv of way.mine) {
    const { exitCode, stdout, stderr } = await as('mine', argv);
    must(!fs.existsSync(mark), () => ({
      expected: `nothing in the folder to be run by \`orchestrate ${argv.join(' ')}\``,
      found: shortened(`${exitCode}: ${stdout}${stderr}`),
      where: way.name,
    }));
    trial.count("commands in another user's folder");
  }
  if (way.needsMore === true) return;
  // It would have run: a command that does nothing must not pass the point.
  const last = [...(way.mine.at(-1) ?? []), '--trust'];
  const { stdout, stderr } = await as('mine', last);
  must(fs.existsSync(mark), () => ({
    expected: `\`orchestrate ${last.join(' ')}\` to run it`,
    found: shortened(`${stdout}${stderr}`),
    where: way.name,
  }));
}
