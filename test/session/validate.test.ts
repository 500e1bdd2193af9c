import { describe, expect, it } from 'vitest';
import { type Json, SessionWorkspace, task } from './rig.ts';

interface Found {
  readonly code: string;
  readonly file: string;
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

async function findings(
  tasks: readonly Json[],
  fileNames: readonly string[] = [],
): Promise<readonly Found[]> {
  const workspace = new SessionWorkspace();
  await workspace.begin();
  tasks.forEach((each, index) => {
    workspace.putTask(each, fileNames[index]);
  });
  const checked = await workspace.run(['task', 'validate', '--strict', '--json']);
  expect(checked.exitCode).toBe(checked.stdout === '[]\n' ? 0 : 2);
  return JSON.parse(checked.stdout);
}

function without(document: Json, field: string): Json {
  const { [field]: _, ...rest } = document;
  return rest;
}

describe('task validate', () => {
  it('accepts valid tasks', async () => {
    expect(
      await findings([
        task('IMPL-1'),
        task('IMPL-1.1'),
        task('IMPL-1.2', { context: { depends_on: ['IMPL-1.1'] } }),
      ]),
    ).toEqual([]);
  });

  const cases: readonly {
    readonly rule: string;
    readonly tasks: readonly Json[];
    readonly fileNames?: readonly string[];
    readonly found: Partial<Found>;
  }[] = [
    {
      rule: '1: ids are unique',
      tasks: [task('IMPL-1'), task('IMPL-001')],
      found: {
        code: 'task/duplicate-id',
        path: 'id',
        line: 2,
        message: 'is `IMPL-1`, which `IMPL-001.json` already uses',
      },
    },
    {
      rule: '2: ids have the form IMPL-N[.M]',
      tasks: [task('TASK-1')],
      fileNames: ['IMPL-1.json'],
      found: { code: 'task/malformed-id', path: 'id', line: 2 },
    },
    {
      rule: '3: parents exist',
      tasks: [task('IMPL-4.1')],
      found: {
        code: 'task/missing-parent',
        path: 'context.parent',
        message: 'names `IMPL-4`, which does not exist',
      },
    },
    {
      rule: '4: there are only two levels',
      tasks: [task('IMPL-1.1.1')],
      found: { code: 'task/too-deep', path: 'id', line: 2 },
    },
    {
      rule: '5: the status is one of five',
      tasks: [task('IMPL-1', { status: 'complete' })],
      found: { code: 'task/unknown-status', path: 'status', line: 4 },
    },
    {
      rule: '6: required fields are present',
      tasks: [without(task('IMPL-1'), 'flow_control')],
      found: { code: 'task/missing-field', path: '', message: 'missing field `flow_control`' },
    },
    {
      rule: '7: focus paths are concrete and inside the project',
      tasks: [task('IMPL-1', { context: { focus_paths: ['src', 'src/**/*.ts'] } })],
      found: { code: 'task/focus-path', path: 'context.focus_paths[1]', line: 13 },
    },
    {
      rule: '8: pre_analysis is a list of steps with step, action and command',
      tasks: [task('IMPL-1', { flow_control: { pre_analysis: [{ step: 'look', command: 'bash(ls)' }] } })],
      found: { code: 'task/flow-control', path: 'flow_control.pre_analysis[0]', message: 'has no `action`' },
    },
    {
      rule: '9: dependencies exist',
      tasks: [task('IMPL-1', { context: { depends_on: ['IMPL-9'] } })],
      found: {
        code: 'task/missing-dependency',
        path: 'context.depends_on[0]',
        message: 'names `IMPL-9`, which does not exist',
      },
    },
    {
      rule: 'no circular dependencies',
      tasks: [
        task('IMPL-1', { context: { depends_on: ['IMPL-2'] } }),
        task('IMPL-2', { context: { depends_on: ['IMPL-3'] } }),
        task('IMPL-3', { context: { depends_on: ['IMPL-1'] } }),
      ],
      found: {
        code: 'task/dependency-cycle',
        path: 'context.depends_on[0]',
        message: 'has a circular dependency: `IMPL-1` → `IMPL-2` → `IMPL-3` → `IMPL-1`',
      },
    },
    {
      rule: 'no dependency on the own parent',
      tasks: [task('IMPL-1'), task('IMPL-1.1', { context: { parent: 'IMPL-1', depends_on: ['IMPL-1'] } })],
      found: { code: 'task/depends-on-parent', path: 'context.depends_on[0]' },
    },
    {
      rule: 'no circular dependency through a parent',
      tasks: [
        task('IMPL-1', { context: { depends_on: ['IMPL-2'] } }),
        task('IMPL-1.1'),
        task('IMPL-2', { context: { depends_on: ['IMPL-1.1'] } }),
      ],
      found: { code: 'task/dependency-cycle' },
    },
    {
      rule: 'commands have a form that can be run',
      tasks: [
        task('IMPL-1', { flow_control: { pre_analysis: [{ step: 'a', action: 'b', command: 'ls' }] } }),
      ],
      found: {
        code: 'task/flow-control',
        path: 'flow_control.pre_analysis[0].command',
        message:
          'is not run: it has none of the forms `bash(<script>)`, `Read(<path>)`, `Glob(<pattern>)` and `Grep(<pattern>, <path>)`',
      },
    },
    {
      rule: 'no value is inserted where it would be code',
      tasks: [
        task('IMPL-1', {
          flow_control: {
            pre_analysis: [
              { step: 'a', action: 'b', command: 'bash(ls)', output_to: 'seen' },
              { step: 'c', action: 'd', command: 'bash(eval "[seen]")' },
            ],
          },
        }),
      ],
      found: { code: 'task/flow-control', path: 'flow_control.pre_analysis[1].command' },
    },
    {
      rule: 'an output name cannot be a variable that controls programs',
      tasks: [
        task('IMPL-1', {
          flow_control: {
            pre_analysis: [{ step: 'a', action: 'b', command: 'bash(ls)', output_to: 'PATH' }],
          },
        }),
      ],
      found: { code: 'task/flow-control', path: 'flow_control.pre_analysis[0].output_to' },
    },
  ];

  it('requires focus paths relative to the project root, and step, action and command', async () => {
    const step = { step: 'a', action: 'b', command: 'bash(true)' };
    const found = await findings([
      task('IMPL-1', {
        context: { focus_paths: ['./src', '/etc', '../x', 'src/../..', 'a{b,c}', 'app/[id]/page.tsx'] },
        flow_control: {
          pre_analysis: [
            without(step, 'step'),
            without({ ...step, step: 'c' }, 'command'),
            { ...step, step: 'd', commands: [] },
            { ...step, step: 'e', on_error: 'retry', success_criteria: 'looks good' },
            { ...step, step: 'e' },
          ],
          target_files: ['src/a.ts:login:75-120', 'src/*.ts'],
        },
      }),
      task('IMPL-2', { flow_control: { pre_analysis: { step: 'a' } } }),
    ]);
    expect(found.map(({ code, path, message }) => `${code} ${path} ${message}`)).toEqual([
      'task/focus-path context.focus_paths[0] names `./src`, which starts with `./`; write `src`',
      expect.stringContaining('task/focus-path context.focus_paths[1] names `/etc`, which '),
      expect.stringContaining('task/focus-path context.focus_paths[2] names `../x`, which '),
      expect.stringContaining('task/focus-path context.focus_paths[3] names `src/../..`, which '),
      expect.stringContaining('task/focus-path context.focus_paths[4] names `a{b,c}`, which '),
      'task/flow-control flow_control.pre_analysis[0] has no `step`',
      'task/flow-control flow_control.pre_analysis[1] has no `command`',
      'task/flow-control flow_control.pre_analysis[2].commands cannot be combined with `command`; use one of them',
      'task/flow-control flow_control.pre_analysis[2].commands must be a list of commands',
      'task/flow-control flow_control.pre_analysis[3].on_error must be one of skip_optional, fail, retry_once, manual_intervention',
      'task/flow-control flow_control.pre_analysis[3].success_criteria must be `exit_code:<n>` or `contains:<text>`',
      'task/flow-control flow_control.pre_analysis[4].step is `e`, the name of an earlier step; step names must be unique',
      expect.stringContaining('task/focus-path flow_control.target_files[1] names `src/*.ts`, which '),
      'task/flow-control flow_control.pre_analysis must be a list of steps with `step`, `action` and `command`',
    ]);
  });

  it('requires each of the six core fields', async () => {
    const found = await findings([{}], ['IMPL-1.json']);
    expect(found.filter(({ code }) => code === 'task/missing-field').map(({ message }) => message)).toEqual(
      ['id', 'title', 'status', 'meta', 'context', 'flow_control'].map(
        (field) => `missing field \`${field}\``,
      ),
    );
  });

  it.each(cases)('rule $rule', async ({ tasks, fileNames, found }) => {
    const all = await findings(tasks, fileNames);
    expect(all).toContainEqual(expect.objectContaining(found));
  });

  it('reports every cycle, each at its own dependency', async () => {
    const waiting = (id: string, ...depends_on: string[]) => task(id, { context: { depends_on } });
    const all = await findings([
      waiting('IMPL-1', 'IMPL-2'),
      waiting('IMPL-2', 'IMPL-1'),
      task('IMPL-3'),
      task('IMPL-3.1', { context: { parent: 'IMPL-3', depends_on: ['IMPL-4'] } }),
      waiting('IMPL-4', 'IMPL-3'),
      waiting('IMPL-5', 'IMPL-5'),
    ]);
    expect(all.map(({ code, path, message }) => [code, path, message.split(': ')[1]])).toEqual([
      ['task/dependency-cycle', 'context.depends_on[0]', '`IMPL-1` → `IMPL-2` → `IMPL-1`'],
      ['task/dependency-cycle', 'context.depends_on[0]', '`IMPL-3.1` → `IMPL-4` → `IMPL-3` → `IMPL-3.1`'],
      ['task/dependency-cycle', 'context.depends_on[0]', '`IMPL-5` → `IMPL-5`'],
    ]);
  });

  it('reports a file that is not JSON with its location, along with all other findings', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-2', { status: 'finished', context: { depends_on: ['IMPL-8', 'IMPL-9'] } }),
    ]);
    workspace.write({ '.workflow/WFS-work/.task/IMPL-1.json': '{\n  "id": "IMPL-1",\n  "title": nope\n}\n' });
    const checked = await workspace.run(['task', 'validate']);
    expect(checked.exitCode).toBe(2);
    expect(checked.stderr).toBe(`error[task/not-json]: expected a value, found \`n\`
 --> .workflow/WFS-work/.task/IMPL-1.json:3:12
  |
3 |   "title": nope
  |            ^

error[task/unknown-status]: \`status\` must be one of pending, active, completed, blocked, container
 --> .workflow/WFS-work/.task/IMPL-2.json:4:13
  |
4 |   "status": "finished",
  |             ^^^^^^^^^^

error[task/missing-dependency]: \`context.depends_on[0]\` names \`IMPL-8\`, which does not exist
  --> .workflow/WFS-work/.task/IMPL-2.json:14:7
   |
14 |       "IMPL-8",
   |       ^^^^^^^^

error[task/missing-dependency]: \`context.depends_on[1]\` names \`IMPL-9\`, which does not exist
  --> .workflow/WFS-work/.task/IMPL-2.json:15:7
   |
15 |       "IMPL-9"
   |       ^^^^^^^^

4 errors in 2 files
`);
  });
});
