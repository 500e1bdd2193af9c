/** Values that could be taken for code or options. */
import { must, mustEqual } from '../must.ts';
import { programCase, writeAgent } from '../site/programs.ts';
import { createSite, mustEnd, type Site } from '../site/site.ts';
import type { Point } from '../suite.ts';

const EVIL = 'touch "$HOME/pwned"';
const VALUES: Readonly<Record<string, string>> = {
  'single-quote': `'; ${EVIL}; '`,
  'double-quote': `"; ${EVIL}; "`,
  substitution: `$(${EVIL})`,
  backtick: `\`${EVIL}\``,
  semicolon: `x; ${EVIL}`,
  pipe: `x | ${EVIL} & ${EVIL}`,
  newline: `x\n${EVIL}\n`,
  variable: '${HOME}$IFS$(id)${x:-y}',
  glob: '* ? [a-z] {a,b} ~ !!',
  backslash: `\\'; ${EVIL}; \\"`,
  option: '-rf',
  'long-option': '--output=pwned',
  arithmetic: '$((1+1)) a[$(touch pwned)]',
  template: '${context.other} {{input.x}} [shared_context.x]',
  unicode: "‘; touch pwned; ’ ＇；\u00a0'",
};

function mustNotRun(site: Site): void {
  must(!site.has('pwned'), () => ({
    expected: 'the value to stay data',
    found: 'it was run as code',
  }));
}

/** A value in each place of a script where a workflow may insert it. */
export function* workflowValues(): Generator<Point> {
  const script = `printf %s \${context.v} > bare; printf %s "<\${context.v}>" > double; printf %s '<\${context.v}>' > single`;
  for (const [name, value] of Object.entries(VALUES)) {
    yield {
      id: `shell/workflow/${name}`,
      async check(trial) {
        const site = createSite(trial);
        const steps = [
          { name: 'Print', command: ['printf', '%s', '${context.v}'], output_file: 'argument' },
          { name: 'Use', command: ['bash', '-c', script] },
          { name: 'Again', command: ['bash', '-c', 'printf %s ${steps.Print.output} > output'] },
        ];
        site.write({
          'work.yaml': JSON.stringify({ name: 'work', context: { v: value, other: 'o' }, steps }),
        });
        await site.ok(['run', 'work.yaml', '--quiet']);
        mustNotRun(site);
        const found = ['argument', 'bare', 'output', 'double', 'single'].map((file) => site.read(file));
        // Like `$(…)`, the output of a step is used without its final newlines.
        const output = value.replace(/\n+$/, '');
        mustEqual(found, [value, value, output, `<${value}>`, `<${value}>`], 'the input of the commands');
      },
    };
  }
}

/** Values in an agent's tool request. */
export function* toolValues(): Generator<Point> {
  for (const [name, value] of Object.entries(VALUES)) {
    yield {
      id: `shell/converse/${name}`,
      async check(trial) {
        const site = createSite(trial);
        await site.ok(['converse', 'init', 'talk', '--template', 'mock']);
        const ask = { type: 'tool_use', id: 'call-77', name: 'say', input: { x: value } };
        const done = { structured: { content: [{ type: 'text', text: 'done' }] } };
        const agent = {
          name: 'mock',
          script: { structured: { content: [ask] }, attempts: [{}], cases: [{ prompt: 'call-77', ...done }] },
        };
        const tools = [
          {
            name: 'say',
            description: 'Says.',
            command: ['bash', '-c', `printf %s "$1" > bare; printf %s "<$1>" > double`, '_', '{{input.x}}'],
          },
        ];
        site.write({
          'talk/config/workflow.yaml': JSON.stringify({ task: 'Do it', agent, max_iterations: 3 }),
          'talk/config/tools.yaml': JSON.stringify({ tools }),
        });
        await site.ok(['converse', 'run', 'talk', '--quiet', '--trust']);
        mustNotRun(site);
        mustEqual(
          [site.read('talk/bare'), site.read('talk/double')],
          [value, `<${value}>`],
          'the input of the tool',
        );
      },
    };
  }
}

/** Values of a task in its own pre_analysis. */
export function* taskValues(): Generator<Point> {
  for (const [name, value] of Object.entries(VALUES)) {
    yield {
      id: `shell/session/${name}`,
      async check(trial) {
        const site = createSite(trial);
        const session = programCase('session');
        await session.prepare(site);
        writeAgent(site, session, 'begin; finish');
        const file = '.workflow/WFS-work/.task/IMPL-1.json';
        const task = JSON.parse(site.read(file)) as { context: object; flow_control: object };
        const command = `bash(printf %s [shared_context.x] > bare; printf %s "<[shared_context.x]>" > double; printf %s "\${x-}" > env)`;
        const pre_analysis = [
          { step: 'look', action: 'Look', command, output_to: 'found', on_error: 'fail' },
        ];
        const changed = {
          ...task,
          context: { ...task.context, shared_context: { x: value } },
          flow_control: { ...task.flow_control, pre_analysis },
        };
        site.write({ [file]: JSON.stringify(changed) });
        await site.ok([...session.start, '--trust']);
        mustNotRun(site);
        mustEqual(
          [site.read('bare'), site.read('double')],
          [value, `<${value}>`],
          'the input of the analysis',
        );
      },
    };
  }
}

const OPTION = '--dangerously-skip-permissions';

/** An agent whose conversation id looks like an option. */
export function optionsOfAgent(): Point {
  return {
    id: 'option/session-id',
    async check(trial) {
      const site = createSite(trial);
      const workflow = programCase('workflow');
      await workflow.prepare(site);
      const steps = [
        {
          name: 'One',
          provider: 'claude',
          input_file: 'prompt.txt',
          retries: 0,
          provider_params: { model: OPTION },
        },
        { name: 'Two', provider: 'claude', input_file: 'prompt.txt', retries: 0, continue_from: 'One' },
      ];
      site.write({ 'work.yaml': JSON.stringify({ name: 'work', steps }) });
      writeAgent(site, workflow, `printf '%s\\n' "$@" >> "$HOME/arguments"; begin; finish`);
      site.write({
        '.bin/claude': site.read('.bin/claude').replaceAll('00000000-0000-4000-8000-000000000001', OPTION),
      });
      await site.run(workflow.start);
      const given = site.lines('arguments');
      must(given.length > 0 && !given.includes(OPTION), () => ({
        expected: `no option \`${OPTION}\`, which was not given`,
        found: given.join(' '),
      }));
    },
  };
}

/** Command-line arguments that start with a dash but are data. */
export function optionsOfPeople(): Point {
  return {
    id: 'option/words',
    async check(trial) {
      const site = createSite(trial);
      const said = await site.run(['session', 'start', '--', `--force; ${EVIL}`]);
      mustEnd(said, 0, ['session', 'start']);
      await site.ok(['task', 'create', '--title', '--json']);
      const [task] = site.list(`.workflow/${said.stdout.trim()}/.task`);
      mustEqual(
        JSON.parse(site.read(`.workflow/${said.stdout.trim()}/.task/${task}`)).title,
        '--json',
        'the title',
      );
      await site.ok(['phases', 'create', '--quiet', '--phase', '--plan::x', '--', `-t $(${EVIL})`]);
      mustNotRun(site);
    },
  };
}
