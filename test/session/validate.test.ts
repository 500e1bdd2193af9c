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
  const checked = await workspace.run(['task', 'validate', '--json']);
  expect(checked.exitCode).toBe(checked.stdout === '[]\n' ? 0 : 2);
  return JSON.parse(checked.stdout);
}

function without(document: Json, field: string): Json {
  const { [field]: _, ...rest } = document;
  return rest;
}

describe('task validate', () => {
  it('finds nothing wrong in sound tasks', async () => {
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
        message: 'is `IMPL-1`, which `IMPL-001.json` has already',
      },
    },
    {
      rule: '2: ids are of the form IMPL-N[.M]',
      tasks: [task('TASK-1')],
      fileNames: ['IMPL-1.json'],
      found: { code: 'task/malformed-id', path: 'id', line: 2 },
    },
    {
      rule: '3: parents are there',
      tasks: [task('IMPL-4.1')],
      found: {
        code: 'task/missing-parent',
        path: 'context.parent',
        message: 'names `IMPL-4`, and there is no such task',
      },
    },
    {
      rule: '4: there are two levels',
      tasks: [task('IMPL-1.1.1')],
      found: { code: 'task/too-deep', path: 'id', line: 2 },
    },
    {
      rule: '5: the status is one of five',
      tasks: [task('IMPL-1', { status: 'complete' })],
      found: { code: 'task/unknown-status', path: 'status', line: 4 },
    },
    {
      rule: '6: the fields are there',
      tasks: [without(task('IMPL-1'), 'flow_control')],
      found: { code: 'task/missing-field', path: '', message: 'the field `flow_control` is not there' },
    },
    {
      rule: '7: focus paths are concrete and of the project',
      tasks: [task('IMPL-1', { context: { focus_paths: ['src', 'src/**/*.ts'] } })],
      found: { code: 'task/focus-path', path: 'context.focus_paths[1]', line: 13 },
    },
    {
      rule: '8: pre_analysis is a list of steps with step, action and command',
      tasks: [task('IMPL-1', { flow_control: { pre_analysis: [{ step: 'look', command: 'bash(ls)' }] } })],
      found: { code: 'task/flow-control', path: 'flow_control.pre_analysis[0]', message: 'has no `action`' },
    },
    {
      rule: '9: dependencies are there',
      tasks: [task('IMPL-1', { context: { depends_on: ['IMPL-9'] } })],
      found: {
        code: 'task/missing-dependency',
        path: 'context.depends_on[0]',
        message: 'names `IMPL-9`, and there is no such task',
      },
    },
    {
      rule: 'no tasks wait for each other',
      tasks: [
        task('IMPL-1', { context: { depends_on: ['IMPL-2'] } }),
        task('IMPL-2', { context: { depends_on: ['IMPL-3'] } }),
        task('IMPL-3', { context: { depends_on: ['IMPL-1'] } }),
      ],
      found: {
        code: 'task/dependency-cycle',
        path: 'context.depends_on[0]',
        message: 'begins a ring of tasks that wait for each other: `IMPL-1` → `IMPL-2` → `IMPL-3` → `IMPL-1`',
      },
    },
    {
      rule: 'no task waits for its own parent',
      tasks: [task('IMPL-1'), task('IMPL-1.1', { context: { parent: 'IMPL-1', depends_on: ['IMPL-1'] } })],
      found: { code: 'task/depends-on-parent', path: 'context.depends_on[0]' },
    },
    {
      rule: 'no parent waits for what waits for its subtask',
      tasks: [
        task('IMPL-1', { context: { depends_on: ['IMPL-2'] } }),
        task('IMPL-1.1'),
        task('IMPL-2', { context: { depends_on: ['IMPL-1.1'] } }),
      ],
      found: { code: 'task/dependency-cycle' },
    },
    {
      rule: 'commands are written bash(…)',
      tasks: [
        task('IMPL-1', { flow_control: { pre_analysis: [{ step: 'a', action: 'b', command: 'ls' }] } }),
      ],
      found: {
        code: 'task/flow-control',
        path: 'flow_control.pre_analysis[0].command',
        message: 'must be of the form `bash(<script>)`',
      },
    },
    {
      rule: 'no value stands where it would be code',
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
      rule: 'a name for an output cannot steer programs',
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

  it('focus paths are written from the root of the project, and step, action and command are wanted', async () => {
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
      'task/focus-path context.focus_paths[0] names `./src`, which begins with `./`; write `src`',
      expect.stringContaining('task/focus-path context.focus_paths[1] names `/etc`, which '),
      expect.stringContaining('task/focus-path context.focus_paths[2] names `../x`, which '),
      expect.stringContaining('task/focus-path context.focus_paths[3] names `src/../..`, which '),
      expect.stringContaining('task/focus-path context.focus_paths[4] names `a{b,c}`, which '),
      'task/flow-control flow_control.pre_analysis[0] has no `step`',
      'task/flow-control flow_control.pre_analysis[1] has no `command`',
      'task/flow-control flow_control.pre_analysis[2].commands stands beside `command`, and only one can be run',
      'task/flow-control flow_control.pre_analysis[2].commands must be a list of commands',
      'task/flow-control flow_control.pre_analysis[3].on_error must be one of skip_optional, fail, retry_once, manual_intervention',
      'task/flow-control flow_control.pre_analysis[3].success_criteria must be `exit_code:<n>` or `contains:<text>`',
      'task/flow-control flow_control.pre_analysis[4].step is `e` as an earlier step is; names are unique',
      expect.stringContaining('task/focus-path flow_control.target_files[1] names `src/*.ts`, which '),
      'task/flow-control flow_control.pre_analysis must be a list of steps with `step`, `action` and `command`',
    ]);
  });

  it('each of the six core fields is wanted', async () => {
    const found = await findings([{}], ['IMPL-1.json']);
    expect(found.filter(({ code }) => code === 'task/missing-field').map(({ message }) => message)).toEqual(
      ['id', 'title', 'status', 'meta', 'context', 'flow_control'].map(
        (field) => `the field \`${field}\` is not there`,
      ),
    );
  });

  it.each(cases)('rule $rule', async ({ tasks, fileNames, found }) => {
    const all = await findings(tasks, fileNames);
    expect(all).toContainEqual(expect.objectContaining(found));
  });

  it('tells every ring, each at a dependency of its own', async () => {
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

  it('tells a file that is not JSON with the place, and all other findings with it', async () => {
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

error[task/missing-dependency]: \`context.depends_on[0]\` names \`IMPL-8\`, and there is no such task
  --> .workflow/WFS-work/.task/IMPL-2.json:14:7
   |
14 |       "IMPL-8",
   |       ^^^^^^^^

error[task/missing-dependency]: \`context.depends_on[1]\` names \`IMPL-9\`, and there is no such task
  --> .workflow/WFS-work/.task/IMPL-2.json:15:7
   |
15 |       "IMPL-9"
   |       ^^^^^^^^

4 errors in 2 files
`);
  });
});
