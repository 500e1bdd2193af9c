/** Text that would like to speak to the terminal or to the page. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { must, shortened } from '../must.ts';
import { programCases, writeAgent } from '../site/programs.ts';
import { createSite, type Site } from '../site/site.ts';
import type { Point } from '../suite.ts';

/** Each ends in a word by which its text is found again. */
const SEQUENCES: Readonly<Record<string, string>> = {
  title: '\u001b]0;owned\u0007',
  clipboard: '\u001b]52;c;b3duZWQ=\u0007',
  link: '\u001b]8;;http://evil.example\u001b\\owned',
  clear: '\u001b[2J\u001b[H',
  report: '\u001b[6n\u001b[c\u001b[21t',
  colour: '\u001b[38;5;201;47m',
  dcs: '\u001bP$qm\u001b\\',
  apc: '\u001b_Gi=1\u001b\\',
  reset: '\u001bc',
  charset: '\u001b(0\u000e',
  'c1-csi': '\u009b2J',
  'c1-osc': '\u009d0;owned\u009c',
  bell: '\u0007\u0008\u007f',
  return: 'good\rOWNED',
  bidi: '\u202eowned\u2066x\u2069\u200f',
  lines: '\u2028\u2029\u0085\u000b\u000c',
};
const ALL = Object.values(SEQUENCES).join('owned ');

/** None of them, whatever else is on the screen: the program's own colours and movements are other ones. */
function mustBeHarmless(text: string, what: string): void {
  for (const [name, sequence] of Object.entries(SEQUENCES)) {
    if (name === 'return') continue;
    const parts = [
      sequence,
      ...(name === 'bidi' || name === 'lines' || name === 'bell'
        ? sequence.replace(/[\w]/g, '').split('')
        : []),
    ];
    for (const part of parts)
      must(!text.includes(part), () => ({
        expected: `${what} without the sequence \`${name}\``,
        found: JSON.stringify(shortened(text.slice(Math.max(0, text.indexOf(part) - 100)), 300)),
      }));
  }
}

/** On a real terminal, by `script`. */
async function onTerminal(site: Site, argv: readonly string[]): Promise<string> {
  const binary = path.join(site.trial.root, 'bin', 'orchestrate.js');
  const words = [process.execPath, binary, ...argv].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const child = spawn('script', ['-qec', words.join(' '), '/dev/null'], {
    cwd: site.folder,
    env: {
      PATH: `${site.path('.bin')}:${process.env['PATH'] ?? ''}`,
      HOME: site.folder,
      TERM: 'xterm-256color',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: site.trial.signal,
    killSignal: 'SIGKILL',
  });
  const out: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  await new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  return Buffer.concat(out).toString('utf8');
}

const RUN_VIEWS = [
  ...[
    ['runs'],
    ['show', 'last'],
    ['show', 'last', '--all'],
    ['logs', 'last'],
    ['logs', 'last', '--stderr'],
    ['logs', 'last', '--prompt'],
    ['logs', 'last', '--response'],
  ],
  ...[
    ['explain', 'last'],
    ['report', 'last'],
    ['doctor', 'last'],
  ],
];

export function workflowScreen(): Point {
  return {
    id: 'screen/workflow',
    async check(trial) {
      const site = createSite(trial);
      const workflow = programCases().find((one) => one.name === 'workflow');
      if (workflow === undefined) return;
      await workflow.prepare(site);
      site.write({ 'evil.txt': `${ALL}\n`, 'prompt.txt': ALL });
      const steps = [
        { name: 'Say', command: ['cat', 'evil.txt'], agent: ALL },
        { name: 'Fail', command: ['sh', '-c', 'cat evil.txt >&2; exit 1'], on: { failure: { goto: 'Ask' } } },
        {
          name: 'Ask',
          provider: 'claude',
          input_file: 'prompt.txt',
          retries: 0,
          on: { failure: { goto: 'Loop' } },
        },
        { name: 'Loop', for_each: { items: [ALL], steps: [{ name: 'In', command: ['echo', '${item}'] }] } },
        { name: 'Question', approve: { message: ALL, choices: ['yes', 'no'] } },
      ];
      site.write({ 'work.yaml': JSON.stringify({ name: `work ${ALL}`, context: { x: ALL }, steps }) });
      const said = JSON.stringify(JSON.stringify(ALL)).slice(1, -1).replaceAll("'", '');
      const block = `{"type":"assistant","message":{"content":[{"type":"text","text":${said.replaceAll('\\"', '"')}},{"type":"tool_use","id":"t","name":"Bash","input":{"command":${said.replaceAll('\\"', '"')}}}]}}`;
      site.write({ 'block.json': `${block}\n` });
      writeAgent(site, workflow, 'begin; cat "$HOME/block.json"; cat "$HOME/evil.txt" >&2; finish');
      for (const flags of [['--verbose'], []]) {
        mustBeHarmless(
          await onTerminal(site, ['run', 'work.yaml', ...flags]),
          `run ${flags.join(' ')} on a terminal`,
        );
        const { stderr } = await site.run(['run', 'work.yaml', ...flags]);
        mustBeHarmless(stderr, `run ${flags.join(' ')} in lines`);
      }
      for (const argv of RUN_VIEWS) {
        mustBeHarmless(await onTerminal(site, argv), `\`orchestrate ${argv.join(' ')}\` on a terminal`);
        // A pipe gets the bytes of a log as they are.
        if (argv[0] !== 'logs')
          mustBeHarmless((await site.run(argv)).stdout, `\`orchestrate ${argv.join(' ')}\``);
      }
    },
  };
}

/** Names and words in documents, and in what is wrong with them. */
export function documentScreen(): Point {
  return {
    id: 'screen/documents',
    async check(trial) {
      const site = createSite(trial);
      const id = (await site.ok(['session', 'start', `Work ${ALL}`])).stdout.trim();
      await site.ok([
        'task',
        'create',
        '--title',
        ALL,
        '--requirement',
        ALL,
        '--agent',
        ALL,
        '--acceptance',
        ALL,
      ]);
      await site.ok(['phases', 'create', ALL, '--phase', `${ALL}::engineer`, '--quiet']);
      await site.run(['phases', 'start']);
      await site.run(['phases', 'fail', 'phase_0', '--error', ALL]);
      await site.ok(['iterate', 'init', 'task', '--agent', 'claude']);
      const status = {
        complete: false,
        summary: ALL,
        phase: ALL,
        blockers: [ALL],
        notes: ALL,
        nextSteps: ALL,
      };
      await site.ok(['converse', 'init', 'talk', '--template', 'mock']);
      const agent = { name: 'mock', script: { structured: { content: [{ type: 'text', text: ALL }] } } };
      site.write({
        'claude-iterate/workspaces/task/.status.json': JSON.stringify(status),
        'talk/config/workflow.yaml': JSON.stringify({ task: ALL, agent }),
        'broken.yaml': `name: ${JSON.stringify(ALL)}\n${JSON.stringify(ALL)}: 1\nsteps:\n  - {name: ${JSON.stringify(ALL)}, comand: [x]}\n`,
        'status.json': JSON.stringify({
          schema: 'status/v1',
          agent: ALL,
          step: ALL,
          message: ALL,
          success: true,
          exit_code: 0,
          timestamp: '2026-01-31T12:00:00Z',
        }),
        [`.workflow/${id}/.task/IMPL-2.json`]: JSON.stringify({
          id: 'IMPL-2',
          title: ALL,
          status: ALL,
          meta: { type: ALL, agent: ALL },
          context: { depends_on: [ALL], focus_paths: [ALL] },
        }),
      });
      await site.run(['converse', 'run', 'talk', '--session', 'one', '--quiet']);
      const views = [
        ...[
          ['session', 'list'],
          ['session', 'status'],
          ['task', 'list'],
          ['task', 'validate'],
          ['execute', '--dry-run', '--agent', 'mock'],
          ['repair', '--dry-run'],
        ],
        ...[
          ['phases', 'show'],
          ['phases', 'next'],
          ['phases', 'retry', 'phase_0'],
          ['iterate', 'list'],
          ['iterate', 'show', 'task'],
        ],
        ...[
          ['converse', 'list', 'talk'],
          ['converse', 'history', 'talk'],
          ['validate', 'broken.yaml'],
          ['run', 'broken.yaml'],
        ],
        ...[
          ['status', 'read', 'status.json'],
          ['status', 'validate', 'status.json'],
        ],
      ];
      for (const argv of views) {
        const { stdout, stderr } = await site.run(argv);
        mustBeHarmless(`${stdout}${stderr}`, `\`orchestrate ${argv.join(' ')}\``);
      }
    },
  };
}

const MARKUP = [
  '<script>owned()</script>',
  '<img src=x onerror=owned()>',
  '"><svg onload=owned()>',
  "'><a href='javascript:owned()'>x</a>",
  '[click](javascript:owned())',
  '![x](javascript:owned())',
  '</pre></code></td></table><iframe src=//evil>',
  '```\n</details><script>owned()</script>\n```',
  '<!-- --><style>*{display:none}</style>',
  '&lt;script&gt;',
].join('\n');

export function reportPoint(): Point {
  return {
    id: 'report/markup',
    async check(trial) {
      const site = createSite(trial);
      const line = MARKUP.replaceAll('\n', ' ');
      site.write({ 'evil.txt': MARKUP, 'out/<script>owned()<script>.md': 'x' });
      const steps = [
        { name: 'Say', command: ['cat', 'evil.txt'], agent: line },
        {
          name: 'Fail',
          command: ['sh', '-c', 'cat evil.txt >&2; exit 1'],
          on: { failure: { goto: 'Loop' } },
        },
        { name: 'Loop', for_each: { items: [line], steps: [{ name: 'In', command: ['echo', '${item}'] }] } },
        {
          name: 'File',
          command: ['sh', '-c', 'cat evil.txt'],
          output_file: 'out/<img src=x onerror=owned()>.txt',
        },
        { name: 'Agent', provider: 'actor', input_file: 'evil.txt' },
        { name: 'Ask', approve: { message: line } },
      ];
      const providers = {
        actor: {
          adapter: 'mock',
          script: { answer: MARKUP, tools: [{ name: line, input: { x: line }, output: MARKUP }] },
        },
      };
      site.write({
        'work.yaml': JSON.stringify({ name: `work ${line}`, context: { x: line }, providers, steps }),
      });
      await site.run(['run', 'work.yaml', '--quiet']);
      const html = (await site.ok(['report', 'last', '--format', 'html'])).stdout;
      for (const evil of [
        '<script>owned',
        '<img src=x',
        '<svg onload',
        'href="javascript:',
        "href='javascript:",
        '<iframe',
        '<style>*{display',
      ])
        must(!html.includes(evil), () => ({
          expected: 'a page without markup of strangers',
          found: shortened(html.slice(Math.max(0, html.indexOf(evil) - 150)), 400),
          where: evil,
        }));
      must(/Content-Security-Policy/i.test(html) || !/<script/i.test(html), () => ({
        expected: 'a page that runs nothing',
        found: 'a script',
      }));
      const markdown = (await site.ok(['report', 'last', '--format', 'md'])).stdout;
      mustBeInert(markdown);
    },
  };
}

/** Outside of code, nothing of it is markup. */
function mustBeInert(markdown: string): void {
  let fence: string | undefined;
  for (const line of markdown.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) {
      fence = mark;
      continue;
    }
    if (fence !== undefined) {
      if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark)
        fence = undefined;
      continue;
    }
    const plain = line.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, '');
    const evil = /(?<!\\)<(?:script|img|svg|iframe|style)|(?<!\\)\]\(javascript:/i.exec(plain);
    must(evil === null, () => ({
      expected: 'Markdown without markup of strangers',
      found: shortened(line, 400),
    }));
  }
  must(fence === undefined, () => ({ expected: 'every fence closed', found: 'an open one' }));
}

/** What the program keeps for people to read is safe to print with `cat`. */
export function logPoint(): Point {
  return {
    id: 'screen/orchestrator-log',
    async check(trial) {
      const site = createSite(trial);
      site.write({ 'evil.txt': ALL });
      const steps = [{ name: 'Fail', command: ['sh', '-c', 'cat evil.txt >&2; exit 1'] }];
      site.write({ 'work.yaml': JSON.stringify({ name: `work ${ALL}`, steps }) });
      await site.run(['run', 'work.yaml', '--quiet']);
      const [run = ''] = site.runs();
      mustBeHarmless(
        fs.readFileSync(site.path('.orchestrate/runs', run, 'logs/orchestrator.log'), 'utf8'),
        'orchestrator.log',
      );
    },
  };
}
