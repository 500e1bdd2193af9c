import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { countOf, until } from '../rig/orchestrate.ts';
import { commandTask, type Json, SessionWorkspace, task } from './rig.ts';

const FIXTURES = path.join(path.dirname(fileURLToPath(import.meta.url)), 'fixtures');

function fixture(name: string): Json {
  return JSON.parse(fs.readFileSync(path.join(FIXTURES, name), 'utf8'));
}

/** Keeps each argument it gets, apart from the others, and answers. */
function echo(workspace: SessionWorkspace, name: string, answer: string): { readonly PATH: string } {
  const log = path.join(workspace.folder, `${name}.args`);
  return workspace.standIn(name, `#!/bin/sh\nprintf '%s\\0' "$@" >> '${log}'\nprintf '%s\\n' '${answer}'\n`);
}

function argumentsOf(workspace: SessionWorkspace, name: string): readonly string[] {
  return workspace.read(`${name}.args`).split('\0').slice(0, -1);
}

function analysis(...steps: readonly Json[]): Json {
  return { flow_control: { pre_analysis: steps.map((step) => ({ action: 'look', ...step })) } };
}

describe('the task IMPL-1.2 of the architecture document', () => {
  const tricky = `It's "quoted" $(touch pwned) \`touch pwned\` \\ and\nspans lines; touch pwned`;

  async function prepared(): Promise<{ workspace: SessionWorkspace; env: { PATH: string; HOME: string } }> {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', { status: 'container' }),
      task('IMPL-1.1', {
        status: 'completed',
        summary: { approach: 'The design.', shared_context: { a: 1 } },
      }),
      fixture('IMPL-1.2.json'),
    ]);
    workspace.write({ [`.workflow/WFS-work/summaries/IMPL-1.1-summary.md`]: `${tricky}\n` });
    workspace.standInClaude();
    const env = echo(workspace, 'codex', 'coded');
    const log = path.join(workspace.folder, 'gemini.args');
    workspace.write({
      '.claude/scripts/gemini-wrapper': `#!/bin/sh\nprintf '%s\\0' "$@" >> '${log}'\necho patterns: none\n`,
    });
    fs.chmodSync(path.join(workspace.folder, '.claude/scripts/gemini-wrapper'), 0o755);
    return { workspace, env: { ...env, HOME: workspace.folder } };
  }

  it('is valid, is executed, and hands its outputs on intact', async () => {
    const { workspace, env } = await prepared();
    await workspace.ok(['task', 'validate']);
    await workspace.ok(['execute'], { env });
    expect(argumentsOf(workspace, 'gemini')).toEqual([
      '-p',
      `@{src/auth/**/*} analyze authentication patterns using context: ${tricky}`,
    ]);
    expect(argumentsOf(workspace, 'codex')).toEqual([
      '--full-auto',
      'exec',
      `Implement JWT using analysis: patterns: none and dependency context: ${tricky}`,
    ]);
    expect(workspace.has('pwned')).toBe(false);
    expect(workspace.task('IMPL-1.2')).toMatchObject({
      status: 'completed',
      execution: { attempts: 1, cost_usd: 0.01 },
      status_history: [{ to: 'active' }, { to: 'completed' }],
    });
    expect(workspace.task('IMPL-1')['status']).toBe('completed');
    expect(workspace.todo()).toContain('  - [x] **IMPL-1.2**: Implement JWT authentication');
  });

  it('tells the agent the whole task, its place, what was gathered and what came before', async () => {
    const { workspace, env } = await prepared();
    workspace.write({ '.claude/agents/code-developer.md': '---\nname: dev\n---\nYou write code.\n' });
    await workspace.ok(['execute'], { env });
    const [sent] = workspace.prompts();
    const prompt = sent?.prompt ?? '';
    const json = JSON.parse(/```json\n([\s\S]*?)\n```/.exec(prompt)?.[1] ?? '');
    expect(json).toEqual({
      task: fixture('IMPL-1.2.json'),
      workflow: { session: 'WFS-work', phase: 'IMPLEMENT' },
    });
    expect(prompt).toContain('Apply JWT with refresh tokens across authentication modules.');
    expect(prompt).toContain('Reference Authentication system design completed from parent task IMPL-1');
    expect(prompt).toContain(`### auth_design_context\n\n${tricky}`);
    expect(prompt).toContain('"approach": "The design."');
    expect(prompt).toContain('- JWT validation works');
    expect(sent?.argv).toContain('You write code.');
  });

  it('is worked on by a command of the user, which is told role and form of the answer too', async () => {
    const { workspace, env } = await prepared();
    workspace.write({ '.claude/agents/code-developer.md': 'You write code.\n' });
    const answer = { approach: 'Signed them.', shared_context: { alg: 'HS256' }, notes: '' };
    const lists = { files_modified: [], key_decisions: [], integration_points: [], verification: [] };
    workspace.standIn(
      'worker',
      `#!/bin/bash\ncat > told\nprintf '%s' '${JSON.stringify({ ...answer, ...lists })}'\n`,
    );
    const dry = await workspace.ok(['execute', '--dry-run', '--agent', 'worker --fast'], { env });
    expect(dry.stdout).toContain('would be executed by `worker --fast`, at most 1 at once');
    await workspace.ok(['execute', '--agent', 'worker --fast'], { env });
    expect(workspace.task('IMPL-1.2')).toMatchObject({ status: 'completed', summary: answer });
    const told = workspace.read('told');
    expect(told.startsWith('You write code.\n')).toBe(true);
    expect(told).toContain(`### auth_design_context\n\n${tricky}`);
    expect(told).toContain('"files_modified": {');
  });
});

describe('pre_analysis', () => {
  it('puts values in as words, and has them in the environment', async () => {
    const workspace = new SessionWorkspace();
    const env = echo(workspace, 'gemini', 'seen');
    workspace.standInClaude();
    const flow = fixture('flow-control.json');
    const [gather, analyse] = flow['pre_analysis'] as Json[];
    await workspace.begin([
      task('IMPL-1', { status: 'completed' }),
      task('IMPL-2', { status: 'completed' }),
      task('IMPL-3', {
        context: {
          depends_on: ['IMPL-1', 'IMPL-2'],
          focus_paths: ['src/a b', "it's"],
          shared_context: { 'x-y': 'z' },
        },
        flow_control: {
          ...flow,
          pre_analysis: [
            gather,
            analyse,
            {
              step: 'words',
              action: 'a',
              command:
                'bash(printf "<%s>" [focus_paths] [shared_context.x-y] "$x_y"; test [ = [ ] && ls [abc]* || true)',
              output_to: 'words',
            },
            {
              step: 'json',
              action: 'a',
              command: `bash(echo '{"deep": {"list": ["p q", "r"]}}')`,
              output_to: 'data',
            },
            { step: 'path', action: 'a', command: 'bash(printf "<%s>" [data.deep.list] [data.none] > out)' },
          ],
        },
      }),
    ]);
    workspace.write({ '.summaries/IMPL-1-summary.md': 'first\n' });
    await workspace.ok(['execute'], { env });
    expect(argumentsOf(workspace, 'gemini')[1]).toBe(
      "@{src/a b it's} analyze current patterns using context: first\nNo summary for IMPL-2",
    );
    expect(workspace.prompts()[0]?.prompt).toContain("### words\n\n<src/a b><it's><z><z>");
    expect(workspace.read('out')).toBe('<p q><r><[data.none]>');
  });

  it('skip_optional goes on with nothing, fail blocks the task', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task(
        'IMPL-1',
        analysis(
          { step: 'a', command: 'bash(echo printed; exit 3)', output_to: 'one', on_error: 'skip_optional' },
          { step: 'b', command: 'bash(echo "<[one]>" > seen)' },
          { step: 'c', command: 'bash(exit 4)', on_error: 'fail' },
          { step: 'd', command: 'bash(touch never)' },
        ),
      ),
    ]);
    const ended = await workspace.run(['execute'], { env: workspace.standInClaude() });
    expect(ended.exitCode).toBe(1);
    expect(workspace.read('seen')).toBe('<>\n');
    expect(workspace.has('never')).toBe(false);
    expect(workspace.list('.workflow/WFS-work/.chat')).toEqual(['analysis-IMPL-1.md']);
    expect(workspace.read('.workflow/WFS-work/.chat/analysis-IMPL-1.md')).toBe(`# Analysis: IMPL-1 - Do IMPL-1

## a
look

\`\`\`sh
bash(echo printed; exit 3)
\`\`\`

**Failed** (\`skip_optional\`): the command ended with exit code 3

### Result → \`one\`
Nothing.

## b
look

\`\`\`sh
bash(echo "<[one]>" > seen)
\`\`\`

### Result
Nothing.

## c
look

\`\`\`sh
bash(exit 4)
\`\`\`

**Failed** (\`fail\`): the command ended with exit code 4

### Result
Nothing.
`);
    expect(workspace.prompts()).toEqual([]);
    expect(workspace.task('IMPL-1')).toMatchObject({
      status: 'blocked',
      execution: { last_error: 'the command ended with exit code 4' },
    });
  });

  it('retry_once tries again, once', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task(
        'IMPL-1',
        analysis({
          step: 'a',
          command: 'bash(echo x >> tries; test -e tried || { touch tried; exit 1; })',
          on_error: 'retry_once',
        }),
      ),
      task(
        'IMPL-2',
        analysis({ step: 'a', command: 'bash(echo x >> fails; exit 1)', on_error: 'retry_once' }),
      ),
    ]);
    const ended = await workspace.run(['execute'], { env: workspace.standInClaude() });
    expect(ended.exitCode).toBe(1);
    expect([countOf(workspace, 'tries'), countOf(workspace, 'fails')]).toEqual([2, 2]);
    expect([workspace.task('IMPL-1')['status'], workspace.task('IMPL-2')['status']]).toEqual([
      'completed',
      'blocked',
    ]);
  });

  it('runs several commands of a step in order, and keeps the first 8 KiB of what is printed', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task(
        'IMPL-1',
        analysis(
          { step: 'two', commands: ['bash(echo one)', "bash(echo '```')"], output_to: 'both' },
          { step: 'long', command: 'bash(printf "%09000d" 0)', output_to: 'zeros' },
          { step: 'put', command: 'bash(printf %s [zeros] | wc -c > size; printf %s [both] > both)' },
        ),
      ),
    ]);
    await workspace.ok(['execute'], { env: workspace.standInClaude() });
    expect([workspace.read('size').trim(), workspace.read('both')]).toEqual(['8192', 'one\n```']);
    const logs = `.orchestrate/runs/${workspace.runs()[0]}/logs`;
    const whole = workspace.list(logs).find((name) => name.endsWith('long.stdout'));
    expect(workspace.read(`${logs}/${whole}`)).toHaveLength(9000);
    const file = '.workflow/WFS-work/.chat/analysis-IMPL-1.md';
    expect(workspace.read(file)).toContain('### Result → `both`\n````text\none\n```\n````\n');
    expect(fs.statSync(path.join(workspace.folder, file)).mode & 0o777).toBe(0o600);
  });

  it('judges by success_criteria', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', analysis({ step: 'a', command: 'bash(exit 3)', success_criteria: 'exit_code:3' })),
      task(
        'IMPL-2',
        analysis({ step: 'a', command: 'bash(echo yes)', success_criteria: ['exit_code:0', 'contains:no'] }),
      ),
    ]);
    await workspace.run(['execute', '--on-failure', 'continue'], { env: workspace.standInClaude() });
    expect(workspace.task('IMPL-1')['status']).toBe('completed');
    expect(workspace.task('IMPL-2')).toMatchObject({
      status: 'blocked',
      execution: { last_error: 'the result is not proven: the output does not contain `no`' },
    });
  });

  it.each([
    ['continue', 'completed', '<half>\n'],
    ['skip', 'completed', '<>\n'],
    ['fail', 'blocked', undefined],
  ] as const)('manual_intervention waits, and `%s` is taken up', async (choice, status, seen) => {
    const workspace = new SessionWorkspace();
    const env = workspace.standInClaude();
    await workspace.begin([
      task(
        'IMPL-1.2',
        analysis(
          {
            step: 'implement',
            command: 'bash(echo x >> tries; echo half; exit 1)',
            output_to: 'half',
            on_error: 'manual_intervention',
          },
          { step: 'next', command: 'bash(echo "<[half]>" > seen)' },
        ),
      ),
      task('IMPL-1'),
    ]);
    const waiting = await workspace.run(['execute'], { env });
    expect(waiting.exitCode).toBe(3);
    const [runId] = workspace.runs();
    expect(waiting.stderr).toContain(`orchestrate approve ${runId} IMPL-1.2/implement --choose ${choice}\n`);
    expect((await workspace.run(['execute'], { env })).exitCode).toBe(3);
    await workspace.ok(['approve', String(runId), 'IMPL-1.2/implement', '--choose', choice]);
    const ended = await workspace.run(['execute'], { env });
    expect(ended.exitCode).toBe(status === 'completed' ? 0 : 1);
    expect(workspace.task('IMPL-1.2')['status']).toBe(status);
    expect(workspace.has('seen') ? workspace.read('seen') : undefined).toBe(seen);
    expect(countOf(workspace, 'tries')).toBe(1);
    expect(workspace.runs()).toEqual([runId]);
  });
});

describe('execution', () => {
  it('keeps to dependencies and the order of ids, and stops at a blocked task', async () => {
    const workspace = new SessionWorkspace();
    const log = (id: string, more: Json = {}) => commandTask(id, `echo ${id} >> log`, more);
    await workspace.begin([
      log('IMPL-10'),
      log('IMPL-2', { context: { depends_on: ['IMPL-3'] } }),
      commandTask('IMPL-3', 'echo IMPL-3 >> log; exit 1'),
      log('IMPL-1'),
    ]);
    expect((await workspace.run(['execute'])).exitCode).toBe(1);
    expect(workspace.read('log')).toBe('IMPL-1\nIMPL-3\n');
    const dry = await workspace.ok(['execute', 'IMPL-10', '--dry-run', '--agent', 'mock']);
    expect(dry.stdout).toBe(
      'WFS-work: 1 task would be executed by mock, at most 1 at once\n  1. IMPL-10  Do IMPL-10\n',
    );
    const ended = await workspace.run(['execute', '--on-failure', 'continue']);
    expect(ended.exitCode).toBe(0);
    expect(workspace.read('log')).toBe('IMPL-1\nIMPL-3\nIMPL-10\n');
    const nothing = await workspace.run(['execute']);
    expect(nothing.exitCode).toBe(1);
    expect(nothing.stderr).toBe(
      'error: no task is ready: `IMPL-3` is blocked\nhelp: `orchestrate execute IMPL-3` tries it again, `orchestrate task update IMPL-3 --status completed` says that it is done\n',
    );
    await workspace.ok(['task', 'update', 'IMPL-3', '--status', 'completed']);
    await workspace.ok(['execute']);
    expect(workspace.read('log')).toBe('IMPL-1\nIMPL-3\nIMPL-10\nIMPL-2\n');
    expect((await workspace.ok(['execute'])).stderr).toBe('every task is completed: nothing to do\n');
  });

  it('goes on past a blocked task where it is told to, with what does not depend on it', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      commandTask('IMPL-1', 'exit 1'),
      commandTask('IMPL-2', 'touch never', { context: { depends_on: ['IMPL-1'] } }),
      commandTask('IMPL-3', 'touch made'),
    ]);
    const ended = await workspace.run(['execute', '--on-failure', 'continue']);
    expect(ended.exitCode).toBe(1);
    expect([workspace.has('made'), workspace.has('never')]).toEqual([true, false]);
    const output = workspace.journal().at(-1) as unknown as { readonly output: Json };
    expect(output.output).toMatchObject({ completed: ['IMPL-3'], blocked: ['IMPL-1'], waiting: ['IMPL-2'] });
  });

  it('tells the agent what the parts of a task have left that it, or its parent, waits for', async () => {
    const workspace = new SessionWorkspace();
    const left = (approach: string): Json => ({ status: 'completed', summary: { approach } });
    await workspace.begin([
      task('IMPL-1', { status: 'completed' }),
      task('IMPL-1.1', left('Chose the tables.')),
      task('IMPL-1.2', left('Chose the routes.')),
      task('IMPL-2', left('Named things.')),
      task('IMPL-3', { status: 'container', context: { depends_on: ['IMPL-1'] } }),
      task('IMPL-3.1', { context: { parent: 'IMPL-3', depends_on: ['IMPL-2'] } }),
    ]);
    await workspace.ok(['execute'], { env: workspace.standInClaude() });
    const [sent] = workspace.prompts();
    const [, before = ''] = (sent?.prompt ?? '').split('## What the tasks before have left');
    expect(before.match(/^### IMPL.*|"approach": ".*"/gm)).toEqual([
      ...['### IMPL-2: Do IMPL-2', '"approach": "Named things."'],
      ...['### IMPL-1.1: Do IMPL-1.1', '"approach": "Chose the tables."'],
      ...['### IMPL-1.2: Do IMPL-1.2', '"approach": "Chose the routes."'],
    ]);
    expect(before).toContain('## The task that this one is part of\n\nIMPL-3: Do IMPL-3\n');
  });

  it('tries what failed again when the failed run is resumed, and nothing else', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', {
        flow_control: {
          pre_analysis: [{ step: 'look', action: 'a', command: 'bash(echo x >> looks)' }],
          implementation_approach: [
            { step: 1, command: 'echo x >> ones' },
            { step: 2, command: 'echo x >> twos; test -e fixed' },
          ],
        },
      }),
      commandTask('IMPL-2', 'touch after', { context: { depends_on: ['IMPL-1'] } }),
    ]);
    expect((await workspace.run(['execute'])).exitCode).toBe(1);
    expect(workspace.task('IMPL-1')['status']).toBe('blocked');
    workspace.write({ fixed: '' });
    await workspace.ok(['resume', 'last']);
    expect(['looks', 'ones', 'twos'].map((name) => countOf(workspace, name))).toEqual([1, 1, 2]);
    expect(workspace.task('IMPL-1')).toMatchObject({ status: 'completed', execution: { attempts: 2 } });
    expect(workspace.task('IMPL-1')['execution']).not.toHaveProperty('last_error');
    expect(workspace.has('after')).toBe(true);
  });

  it('runs an approach in steps in order, hands their outputs on, also in a session that is not active', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', {
        flow_control: {
          implementation_approach: [
            { step: 1, title: 'Look', command: 'bash(echo found it)', output: 'seen' },
            {
              step: 2,
              title: 'Write it down',
              description: 'Write [seen] down.',
              modification_points: ['in [focus_paths]'],
              logic_flow: ['read → write'],
              depends_on: [1],
              output: 'written',
            },
            { step: 3, title: 'Tell', command: 'echo "[seen]; [written]" > told', depends_on: [1, 2] },
          ],
        },
        context: { focus_paths: ['notes'] },
      }),
    ]);
    await workspace.ok(['session', 'start', 'Other']);
    const env = workspace.standInClaude(`return { approach: 'wrote' };`);
    await workspace.ok(['execute', '--session', 'WFS-work'], { env });
    expect(workspace.read('told')).toBe('found it; wrote\n');
    const [sent] = workspace.prompts();
    expect(sent?.prompt).toContain(
      '### 2. Write it down\n\nWrite found it down.\n\nChange:\n- in notes\n\nFlow:\n- read → write\n',
    );
    expect(sent?.prompt).not.toContain('### 3.');
    expect(workspace.markers()).toEqual(['.active-WFS-other']);
    expect(workspace.session('WFS-other')['run_id']).toBe(undefined);
  });

  it('refuses containers, unmet dependencies, and unsound tasks', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1'),
      task('IMPL-1.1'),
      task('IMPL-2', { context: { depends_on: ['IMPL-1'] } }),
    ]);
    expect(await workspace.run(['execute', 'IMPL-1'])).toMatchObject({
      exitCode: 2,
      stderr:
        'error: `IMPL-1` is a container and cannot be executed itself\nhelp: execute its subtasks: `orchestrate execute IMPL-1.1`\n',
    });
    expect((await workspace.run(['execute', 'IMPL-2'])).stderr).toContain('`IMPL-2` waits for `IMPL-1.1`');
    workspace.putTask(task('IMPL-3', { status: 'done' }));
    const refused = await workspace.run(['execute']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('error[task/unknown-status]');
    expect(workspace.runs()).toEqual([]);
  });

  it('is done by one process at a time', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([commandTask('IMPL-1', 'touch begun; while ! test -e go; do sleep 0.02; done')]);
    const first = workspace.start(['execute']);
    await until(() => workspace.has('begun'));
    expect((await workspace.ok(['task', 'list', '--ready'])).stdout).toBe('');
    const second = await workspace.run(['execute']);
    expect(second.exitCode).toBe(4);
    expect(second.stderr).toContain(`is being run by process ${first.pid}`);
    expect((await workspace.run(['session', 'complete', '--force'])).exitCode).toBe(4);
    workspace.write({ go: '' });
    expect((await first.ended).exitCode).toBe(0);
  });

  it('leaves the original task as it is when the run is cut off, and goes on from there', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      commandTask('IMPL-1', 'echo x >> ones'),
      commandTask('IMPL-2', 'echo x >> twos; touch begun; while ! test -e go; do sleep 0.02; done'),
    ]);
    const first = workspace.start(['execute']);
    await until(() => workspace.has('begun'));
    first.child.kill('SIGKILL');
    await first.ended;
    expect([workspace.task('IMPL-1')['status'], workspace.task('IMPL-2')['status']]).toEqual([
      'completed',
      'active',
    ]);
    expect((await workspace.ok(['session', 'status'])).stdout).toContain('\nready: IMPL-2\n');
    expect((await workspace.ok(['task', 'list', '--ready'])).stdout).toContain('IMPL-2  active');
    workspace.write({ go: '' });
    workspace.putTask(commandTask('IMPL-3', 'touch late'));
    const second = await workspace.ok(['execute']);
    expect(second.stderr).toContain(`going on with run ${workspace.runs()[0]}`);
    expect([countOf(workspace, 'ones'), countOf(workspace, 'twos'), workspace.has('late')]).toEqual([
      1,
      2,
      true,
    ]);
    expect(workspace.runs()).toHaveLength(2);
  });
});
