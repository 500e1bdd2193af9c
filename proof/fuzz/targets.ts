/** Each parser of the product with its inputs, and what must be true besides that it neither breaks nor takes long. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { type ProgramCall, runProgram } from '../program.ts';
import type { Parsers } from './parsers.ts';
import { scriptConstructs } from './script-target.ts';
import { anyText, inPieces, nearly } from './texts.ts';

export interface Bench {
  readonly root: string;
  readonly parsers: Parsers;
  /** A folder for this point only. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

export interface Target {
  readonly name: string;
  /** Share of the usual number of inputs; targets that start a process get fewer. */
  readonly share: number;
  property(bench: Bench): fc.IAsyncProperty<[unknown]>;
}

const WORKFLOW = `name: ship
context: {issue: 1}
providers:
  own: {command: [cat], input_mode: stdin}
steps:
  - name: Plan
    provider: own
    input_file: plan.md
    retries: {max: 2, delay_ms: 10}
  - name: Each
    for_each: {items: [a, b], as: item, steps: [{name: Do, command: [bash, -c, "echo '\${item}' \${context.issue}"]}]}
  - name: Sure
    when: {equals: {left: "\${steps.Plan.output}", right: "yes"}}
    approve: {message: "Continue?", choices: [ship, hold]}
    on: {failure: {goto: Plan}}
`;

const LONGEST_MS = 1000;

/** No input may break a parser or keep it busy. */
function sound<Given>(
  given: fc.Arbitrary<Given>,
  use: (given: Given) => unknown,
): fc.IAsyncProperty<[unknown]> {
  return fc.asyncProperty(given, async (one) => {
    const began = process.cpuUsage();
    await use(one);
    const { user, system } = process.cpuUsage(began);
    const ms = (user + system) / 1000;
    if (ms > LONGEST_MS) throw new Error(`it took ${Math.round(ms)} ms`);
  }) as fc.IAsyncProperty<[unknown]>;
}

const transcripts = (root: string, agent: string): readonly Buffer[] => {
  const folder = path.join(root, 'test', 'agents', 'transcripts');
  const [of = ''] = fs.readdirSync(folder).filter((name) => name.startsWith(`${agent}-`));
  const names = fs.readdirSync(path.join(folder, of)).filter((name) => /^[^.]+\.jsonl$/.test(name));
  return names.map((name) => fs.readFileSync(path.join(folder, of, name)));
};

function streamTarget(agent: string): Target {
  return {
    ...{ name: `stream-${agent}`, share: 1 },
    property: ({ root, parsers }) => {
      const good = transcripts(root, agent);
      const bytes = fc.oneof(
        fc.constantFrom(...good),
        fc
          .constantFrom(...good)
          .chain((one) => nearly(one.toString('utf8')).map((text) => Buffer.from(text))),
        anyText.map((text) => Buffer.from(text)),
      );
      const pieces = bytes.chain(inPieces);
      return sound(pieces, (given) => {
        const whole = parsers.stream(agent, [Buffer.concat(given)]);
        if (!isDeepStrictEqual(parsers.stream(agent, given), whole))
          throw new Error('events differ from those of the same bytes in one piece');
      });
    },
  };
}

const PLACES = [
  'printf %s ${V}',
  "printf %s '${V}'",
  'printf %s "${V}"',
  'printf %s a${V}b',
  'x="${V}"; printf %s "$x"',
];
const AROUND = (script: string, value: string): string => (script.includes('a${V}b') ? `a${value}b` : value);

const quoting: Target = {
  ...{ name: 'shell-quoting', share: 0.1 },
  property: ({ parsers, folder }) =>
    sound(
      fc.record({
        shell: fc.constantFrom('bash', 'dash'),
        script: fc.constantFrom(...PLACES),
        value: anyText.map((text) => Buffer.from(text.replaceAll('\0', ' ')).toString('utf8')),
      }),
      ({ shell, script, value }) => {
        const rendered = parsers.script(shell, script, value);
        if (rendered === undefined) throw new Error('the place is rejected');
        const env = { PATH: process.env['PATH'] ?? '' };
        const found = execFileSync(shell, ['-c', rendered], {
          cwd: folder,
          env,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        if (found !== AROUND(script, value))
          throw new Error(`the value became ${JSON.stringify(found)} in ${JSON.stringify(rendered)}`);
      },
    ),
};

const yaml: Target = {
  ...{ name: 'workflow-file', share: 0.5 },
  property: ({ parsers, folder }) =>
    sound(fc.oneof(nearly(WORKFLOW), anyText), (text) => {
      fs.writeFileSync(path.join(folder, 'w.yaml'), text);
      parsers.workflow(folder, 'w.yaml');
    }),
};

const template: Target = {
  ...{ name: 'template', share: 2 },
  property: ({ parsers }) =>
    sound(
      fc.record({
        text: anyText,
        values: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.jsonValue()),
      }),
      (given) => parsers.template(given.text, given.values),
    ),
};

const answer: Target = {
  ...{ name: 'answer', share: 1 },
  property: ({ parsers }) =>
    sound(
      fc.oneof(anyText, nearly('Here:\n```json\n{"content": [{"type": "text", "text": "a"}]}\n```\n')),
      (text) => parsers.answer(text),
    ),
};

function documentTarget(name: 'phases' | 'metadata' | 'conversation'): Target {
  return {
    ...{ name: `document-${name}`, share: 1 },
    property: ({ parsers }) =>
      sound(
        fc.oneof(
          fc.jsonValue(),
          fc.dictionary(
            fc.constantFrom(
              'id',
              'phases',
              'status',
              'name',
              'mode',
              'session_id',
              'current_phase',
              '__proto__',
              'metadata',
            ),
            fc.jsonValue(),
          ),
        ),
        (value) => parsers[name](value),
      ),
  };
}

/** No command line and no input breaks the program: it reports what is wrong. */
function programTarget(
  name: string,
  calls: (folder: string) => fc.Arbitrary<Pick<ProgramCall, 'argv' | 'stdin'>>,
): Target {
  return {
    ...{ name, share: 0.02 },
    property: ({ root, folder, signal }) =>
      fc.asyncProperty(calls(folder), async (call) => {
        const ended = await runProgram({ root, folder, signal, ...call });
        const said = `${ended.stdout}${ended.stderr}`;
        if (ended.exitCode === null || ended.exitCode === 70 || /\n {4}at |internal error/.test(said))
          throw new Error(`${ended.exitCode ?? ended.signal}\n${said.slice(0, 1000)}`);
      }) as fc.IAsyncProperty<[unknown]>,
  };
}

const WORDS = [
  ...[
    'run',
    'resume',
    'show',
    'runs',
    'logs',
    'report',
    'explain',
    'fork',
    'cancel',
    'approve',
    'clean',
    'validate',
  ],
  ...[
    'iterate',
    'session',
    'task',
    'phases',
    'converse',
    'queue',
    'status',
    'doctor',
    'schema',
    'hook',
    'list',
    'next',
  ],
  ...[
    '--json',
    '--quiet',
    '--help',
    '--context',
    '--',
    '-',
    '',
    'last',
    '../..',
    '/',
    'w.yaml',
    'a=b',
    '--choose',
    '-1',
  ],
];

const argument = fc.oneof(
  fc.constantFrom(...WORDS),
  anyText.map((text) => text.replaceAll('\0', '').slice(0, 60)),
);

const PHASES = JSON.stringify({
  ...{ id: 'wf_20260101_000000', task: 'T', status: 'active', current_phase: 'phase_0' },
  phases: [{ id: 'phase_0', title: 'A', agent: '', status: 'active' }],
});

const hook = programTarget('hook-input', (folder) => {
  fs.mkdirSync(path.join(folder, '.claude', 'state'), { recursive: true });
  fs.writeFileSync(path.join(folder, '.claude', 'state', 'workflow.json'), PHASES);
  const event = JSON.stringify({
    ...{ hook_event_name: 'PostToolUse', tool_name: 'Agent', tool_use_id: 't1', session_id: 's' },
    ...{ tool_input: { prompt: 'Phase ID: phase_0' }, tool_response: { status: 'completed', content: [] } },
  });
  return fc.record({
    argv: fc.constantFrom(['hook', 'post-tool-use'], ['hook', 'pre-tool-use'], ['hook', 'stop']),
    stdin: fc.oneof(nearly(event), anyText, fc.json()),
  });
});

const status = programTarget('status-file', (folder) =>
  fc
    .oneof(
      anyText,
      nearly(
        '{"schema":"status/v1","agent":"a","step":"s","timestamp":"2026-01-01T00:00:00Z","success":true,"exit_code":0}',
      ),
    )
    .map((text) => {
      fs.writeFileSync(path.join(folder, 'status.json'), text);
      return { argv: ['status', 'validate', 'status.json'] };
    }),
);

const commandLine = programTarget('command-line', () =>
  fc.array(argument, { maxLength: 5 }).map((argv) => ({ argv: argv.filter((word) => !STARTS.has(word)) })),
);
/** Commands that wait for input that never arrives. */
const STARTS = new Set(['watch', 'serve', 'mcp', 'worker', 'demo']);

export const TARGETS: readonly Target[] = [
  ...[yaml, template, quoting, scriptConstructs, answer],
  ...['claude', 'gemini', 'codex'].map(streamTarget),
  ...(['phases', 'metadata', 'conversation'] as const).map(documentTarget),
  ...[hook, status, commandLine],
];
