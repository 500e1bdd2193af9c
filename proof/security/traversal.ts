/** Names and paths that lead elsewhere. */
import fs from 'node:fs';
import { must, mustEqual, shortened } from '../must.ts';
import type { Ended } from '../program.ts';
import { startMcp } from '../site/mcp.ts';
import { programCases } from '../site/programs.ts';
import type { Point } from '../suite.ts';
import { createFenced, type Fenced, mustNotHold, SENTINEL } from './outside.ts';

/** A name that leads to the folder outside, as each place might take it. */
function names({ way, outside }: Fenced): readonly string[] {
  return [
    way,
    outside,
    `./${way}`,
    `x/../${way}`,
    `.orchestrate/../${way}`,
    '..',
    '.',
    `WFS-/../../${way}`,
    `IMPL-1/../../../../${way}`,
  ];
}

/** Every command that takes a name, with a place for it. */
const COMMANDS: Readonly<Record<string, (name: string) => readonly (readonly string[])[]>> = {
  runs: (name) => [
    ...['show', 'logs', 'report', 'explain', 'resume', 'cancel'].map((command) => [command, name]),
    ...[
      ['doctor', name, '--cut'],
      ['approve', name, 'Ask', '--choose', 'yes'],
      ['fork', name, '--from', 'Say'],
    ],
    ...[
      ['run-step', 'Say', '--workflow', 'work.yaml', '--from-run', name],
      ['run', 'work.yaml', '--replay', name],
    ],
  ],
  logs: (name) => [
    ['logs', 'last', name],
    ['explain', 'last', name],
    ['approve', 'last', name, '--choose', 'yes'],
  ],
  sessions: (name) => [
    ...['switch', 'status', 'complete', 'resume'].map((command) => ['session', command, name]),
    ...[
      ['task', 'list', '--session', name],
      ['task', 'create', '--session', name, '--title', 'x'],
      ['views', '--session', name],
    ],
  ],
  tasks: (name) => [
    ...[
      ['task', 'show', name],
      ['task', 'update', name, '--status', 'active'],
      ['task', 'decompose', name, '--into', 'a', 'b'],
    ],
    ...[
      ['execute', name, '--agent', 'mock'],
      ['task', 'create', '--title', 'x', '--parent', name],
    ],
  ],
  iterate: (name) => [
    ...['init', 'show', 'reset', 'stop', 'run'].map((command) => ['iterate', command, name]),
    ...[
      ['iterate', 'clean', name, '-f'],
      ['iterate', 'clean', name, '-f', '--no-archive'],
      ['iterate', 'archive', 'save', name],
    ],
    ...[
      ['iterate', 'archive', 'delete', name, '-f'],
      ['iterate', 'archive', 'show', name],
      ['iterate', 'template', 'save', 'task', name],
    ],
    ...[
      ['iterate', 'template', 'use', name, 'fresh'],
      ['iterate', 'template', 'use', 'kept', name],
      ['iterate', 'template', 'delete', name],
    ],
    ...[['iterate', 'config', '-w', name, 'maxIterations', '3']],
  ],
  converse: (name) => [
    ...[
      ['converse', 'run', 'talk', '--session', name, '--quiet'],
      ['converse', 'resume', 'talk', '--session', name],
    ],
    ...[
      ['converse', 'history', 'talk', '--session', name],
      ['converse', 'archive', 'talk', '--session', name],
    ],
    ...[
      ['converse', 'clean', 'talk', '--session', name, '-f'],
      ['converse', 'restore', `${name}/x.tar.gz`],
    ],
  ],
  queue: (name) => [
    ...[
      ['queue', 'put', name, '--file', 'work.yaml'],
      ['queue', 'take', name],
      ['queue', 'list', name],
    ],
    ...[
      ['queue', 'done', `${name}/secret.task`],
      ['queue', 'fail', `${name}/secret.task`],
    ],
  ],
  phases: (name) => [
    ['phases', 'start', name],
    ['phases', 'complete', name],
    ['phases', 'fail', name],
    ['phases', 'retry', name],
  ],
  status: (name) => [
    ['status', 'write', '--agent', name, '--step', 'x', '--success', 'true'],
    ['status', 'write', '--agent', 'a', '--step', 'x', '--success', 'true', '--file', `${name}/status.json`],
  ],
};

export function* commandPoints(): Generator<Point> {
  for (const [area, commands] of Object.entries(COMMANDS)) {
    yield {
      id: `traversal/command/${area}`,
      async check(trial) {
        const fenced = createFenced(trial);
        await furnish(fenced);
        for (const name of trial.random.sample(names(fenced), 4)) {
          for (const argv of commands(name)) {
            const ended = await fenced.site.run(argv);
            mustRefuse(fenced, ended, argv);
          }
        }
      },
    };
  }
}

async function furnish({ site }: Fenced): Promise<void> {
  for (const program of programCases()) await program.prepare(site);
  site.write({
    'work.yaml': JSON.stringify({ name: 'work', steps: [{ name: 'Say', command: ['echo', 'hello'] }] }),
  });
  await site.ok(['run', 'work.yaml', '--quiet']);
}

/** Whatever it says: nothing outside was shown, made or changed, and it is no crash. */
function mustRefuse(
  fenced: Fenced,
  { exitCode, signal, stdout, stderr }: Ended,
  argv: readonly string[],
): void {
  const said = `${stdout}${stderr}`;
  must(signal === null && exitCode !== 70 && !/internal error/.test(stderr), () => ({
    expected: `a refusal of \`orchestrate ${argv.join(' ')}\``,
    found: shortened(`${signal ?? exitCode}: ${said}`),
  }));
  must(!said.includes(SENTINEL), () => ({
    expected: `\`orchestrate ${argv.join(' ')}\` to show nothing from outside`,
    found: shortened(said),
  }));
  fenced.mustBeUntouched(`\`orchestrate ${argv.join(' ')}\``);
  mustNotHold(fenced.site, SENTINEL);
}

export function mcpPoint(): Point {
  return {
    id: 'traversal/mcp',
    async check(trial) {
      const fenced = createFenced(trial);
      const { site } = fenced;
      await furnish(fenced);
      await site.ok(['phases', 'start', '--json']);
      const server = await startMcp(site);
      for (const name of names(fenced)) {
        const calls: readonly (readonly [string, object])[] = [
          ...[
            ['run_get', { run: name }] as const,
            ['run_approve', { run: name, step: 'x', choice: 'yes' }] as const,
          ],
          ...[
            ['run_approve', { run: 'last', step: name, choice: 'yes' }] as const,
            ['task_get', { task: name }] as const,
          ],
          ...[
            ['task_get', { task: 'IMPL-1', session: name }] as const,
            ['task_update', { task: name, status: 'active' }] as const,
          ],
          ...[
            ['task_update', { task: 'IMPL-1', session: name, title: 'x' }] as const,
            ['task_list', { session: name }] as const,
          ],
          ...[
            ['queue_put', { agent: name, text: 'x' }] as const,
            ['queue_put', { agent: name, task: 'x', content: 'x' }] as const,
          ],
          ...[
            ['queue_take', { agent: name }] as const,
            ['queue_done', { task: `${name}/secret.task` }] as const,
          ],
          ...[
            ['queue_fail', { task: `${name}/secret.task` }] as const,
            ['phase_start', { phase: name }] as const,
          ],
          ...[
            ['phase_complete', { phase: name }] as const,
            ['status_write', { workspace: name, complete: true }] as const,
          ],
        ];
        for (const [tool, given] of calls)
          mustAnswerSafely(fenced, await server.call(tool, given), `${tool} ${JSON.stringify(given)}`);
        for (const uri of [
          `orchestrate://runs/${name}`,
          `orchestrate://tasks/${name}`,
          `file://${name}/secret.txt`,
          `orchestrate://phases/${name}/secret.md`,
        ])
          mustAnswerSafely(fenced, await server.ask('resources/read', { uri }), uri);
      }
      await server.close();
      mustNotHold(site, SENTINEL);
    },
  };
}

function mustAnswerSafely(fenced: Fenced, answer: { readonly text: string }, what: string): void {
  must(!answer.text.includes(SENTINEL) && answer.text !== 'the server has ended', () => ({
    expected: `${what} to be refused`,
    found: shortened(answer.text),
  }));
  fenced.mustBeUntouched(what);
}

/** What an agent asks the built-in tools of a conversation for. */
export function toolPoint(): Point {
  return {
    id: 'traversal/tools',
    async check(trial) {
      const fenced = createFenced(trial);
      const { site } = fenced;
      await site.ok(['converse', 'init', 'talk', '--template', 'mock']);
      const inside = names({ ...fenced, way: `../${fenced.way}` }).filter((name) => name !== '.');
      site.write({ 'talk/real.txt': 'x' });
      const link = site.path('talk', 'way-out');
      fs.symlinkSync(fenced.outside, link);
      const asks = [...inside, 'way-out'].flatMap((name, number) => [
        { type: 'tool_use', id: `r${number}`, name: 'read_file', input: { path: `${name}/secret.txt` } },
        {
          type: 'tool_use',
          id: `w${number}`,
          name: 'write_file',
          input: { path: `${name}/made.txt`, content: 'x' },
        },
        { type: 'tool_use', id: `l${number}`, name: 'list_files', input: { glob: `${name}/**` } },
        {
          type: 'tool_use',
          id: `s${number}`,
          name: 'search',
          input: { pattern: 'sentinel', glob: `${name}/*` },
        },
      ]);
      const own = ['config/workflow.yaml', 'state/one.json', 'prompts/iteration_001.txt'].map(
        (path, number) => ({
          ...{ type: 'tool_use', id: `o${number}`, name: 'write_file', input: { path, content: 'spoilt' } },
        }),
      );
      const done = { structured: { content: [{ type: 'text', text: 'done' }] } };
      const agent = {
        name: 'mock',
        script: { structured: { content: [...asks, ...own] }, cases: [{ prompt: 'r0', ...done }] },
      };
      const tools = ['read_file', 'write_file', 'list_files', 'search'].map((name) => ({
        name,
        builtin: name,
        parallel_safe: true,
      }));
      site.write({
        'talk/config/workflow.yaml': JSON.stringify({ task: 'Do it', agent, max_iterations: 3 }),
        'talk/config/tools.yaml': JSON.stringify({ tools }),
      });
      const config = site.read('talk/config/workflow.yaml');
      const ended = await site.run(['converse', 'run', 'talk', '--session', 'one', '--quiet']);
      mustRefuse(fenced, ended, ['converse', 'run', 'talk']);
      mustEqual(
        site.read('talk/config/workflow.yaml'),
        config,
        'talk/config/workflow.yaml, which tools must leave alone',
      );
      const { results } = JSON.parse(site.read('talk/state/tool_results.json')) as {
        readonly results: readonly {
          readonly status: string;
          readonly output: string;
          readonly tool_use_id: string;
        }[];
      };
      for (const { tool_use_id, status, output } of results) {
        if (/^[rwo]/.test(tool_use_id))
          must(status === 'error', () => ({
            expected: `${tool_use_id} to be refused`,
            found: `${status}: ${shortened(output)}`,
          }));
      }
    },
  };
}

/** Paths that a workflow declares, or makes of a value. */
export function* workflowPaths(): Generator<Point> {
  const places: Readonly<Record<string, (at: string) => object>> = {
    input_file: (at) => ({ command: ['cat'], input_file: `${at}/secret.txt`, output_file: 'read.txt' }),
    output_file: (at) => ({ command: ['echo', 'x'], output_file: `${at}/made.txt` }),
    depends_on: (at) => ({
      provider: 'mock',
      input_file: 'prompt.txt',
      depends_on: { required: [`${at}/*.txt`], inject: { mode: 'content' } },
    }),
    wait_for: (at) => ({ wait_for: { glob: `${at}/*`, timeout_sec: 1 } }),
    when: (at) => ({ command: ['touch', 'went-out'], when: { exists: `${at}/*` } }),
    expect: (at) => ({ command: ['echo', 'x'], expect: { files: [`${at}/secret.txt`] } }),
    cache: (at) => ({ command: ['echo', 'x'], cache: { inputs: [`${at}/*`] } }),
    move_to: (at) => ({
      for_each: {
        items: ['a.txt'],
        on_item_complete: { success: { move_to: `${at}/moved` } },
        steps: [{ name: 'In', command: ['true'] }],
      },
    }),
    item: (at) => ({
      for_each: {
        items: [`${at}/secret.txt`],
        on_item_complete: { success: { move_to: 'moved' } },
        steps: [{ name: 'In', command: ['true'] }],
      },
    }),
    call: (at) => ({ call: { workflow: `${at}/work.yaml` } }),
  };
  for (const [place, step] of Object.entries(places)) {
    yield {
      id: `traversal/workflow/${place}`,
      async check(trial) {
        const fenced = createFenced(trial);
        const { site } = fenced;
        fs.symlinkSync(fenced.outside, site.path('way-out'));
        site.write({ 'a.txt': 'a', 'prompt.txt': 'Do it.' });
        for (const at of [...names(fenced).slice(0, 4), 'way-out']) {
          for (const given of place === 'call' ? [at] : [at, '${context.at}']) {
            const steps = [{ name: 'Step', ...step(given) }];
            site.write({ 'work.yaml': JSON.stringify({ name: 'work', context: { at }, steps }) });
            const ended = await site.run(['run', 'work.yaml', '--quiet']);
            mustRefuse(fenced, ended, ['run', `with ${place} at ${given} (${at})`]);
            must(!site.has('went-out'), () => ({
              expected: 'nothing outside to be found',
              found: `a match at ${at}`,
            }));
          }
        }
      },
    };
  }
}

/** A role file is named by a phase and by a task: it is looked for in its folder only. */
export function rolePoint(): Point {
  return {
    id: 'traversal/role',
    async check(trial) {
      const fenced = createFenced(trial);
      const { site } = fenced;
      await site.ok(['session', 'start', 'Work']);
      for (const name of [`../../${fenced.way}/secret`, `${fenced.outside}/secret`]) {
        await site.run(['task', 'create', '--title', 'x', '--agent', name]);
        await site.run(['phases', 'create', 'Work', '--phase', `Do it::${name}`, '--archive', '--quiet']);
        mustRefuse(fenced, await site.run(['phases', 'run', '--agent', 'mock', '--quiet']), [
          'phases',
          'run',
        ]);
        mustRefuse(fenced, await site.run(['execute', '--agent', 'mock', '--quiet']), ['execute']);
      }
    },
  };
}
