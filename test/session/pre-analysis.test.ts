import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { countOf } from '../rig/orchestrate.ts';
import { type Json, SessionWorkspace, task } from './rig.ts';

const FIXTURES = path.join(path.dirname(fileURLToPath(import.meta.url)), 'fixtures');

function fixture(name: string): Json {
  return JSON.parse(fs.readFileSync(path.join(FIXTURES, name), 'utf8'));
}

/** Records its arguments, NUL-separated, and answers. */
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

  it('is valid, is executed, and passes on its outputs intact', async () => {
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

  it('gives the agent the whole task, its workflow, the gathered outputs and the earlier results', async () => {
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

  it('gives the agent all decisions and checks of the tasks it depends on', async () => {
    const workspace = new SessionWorkspace();
    const decisions = Array.from({ length: 12 }, (_, index) => ({
      decision: `decision ${index + 1}`,
      rationale: `because of ${index + 1}`,
    }));
    const checks = [
      { check: 'npm run lint', method: 'read its output' },
      { check: 'the tokens expire', method: 'waited for an hour' },
    ];
    const env = workspace.standInClaude(
      `return prompt.includes('"IMPL-1",') ? ${JSON.stringify({ key_decisions: decisions, verification: checks })} : {};`,
    );
    await workspace.begin([task('IMPL-1'), task('IMPL-2', { context: { depends_on: ['IMPL-1'] } })]);
    await workspace.ok(['execute'], { env });
    const prompt = workspace.prompts()[1]?.prompt ?? '';
    for (const { decision, rationale } of decisions) {
      expect(prompt).toContain(`"decision": "${decision}"`);
      expect(prompt).toContain(`"rationale": "${rationale}"`);
    }
    for (const { check, method } of checks) {
      expect(prompt).toContain(`"check": "${check}"`);
      expect(prompt).toContain(`"method": "${method}"`);
    }
  });

  it('can be executed by a custom command, whose prompt includes the role and the answer schema', async () => {
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
  it('inserts values as words and sets them in the environment', async () => {
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
    workspace.write({ '.workflow/WFS-work/.summaries/IMPL-1-summary.md': 'first\n' });
    await workspace.ok(['execute'], { env });
    expect(argumentsOf(workspace, 'gemini')[1]).toBe(
      "@{src/a b it's} analyze current patterns using context: first\nNo summary for IMPL-2",
    );
    expect(workspace.prompts()[0]?.prompt).toContain("### words\n\n<src/a b><it's><z><z>");
    expect(workspace.read('out')).toBe('<p q><r><[data.none]>');
  });

  it('skip_optional continues with an empty result, fail blocks the task', async () => {
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
echo printed; exit 3
\`\`\`

**Skipped** (\`skip_optional\`): the command ended with exit code 3

### Result → \`one\`
Nothing.

## b
look

\`\`\`sh
echo "<>" > seen
\`\`\`

### Result
Nothing.

## c
look

\`\`\`sh
exit 4
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

  it('retry_once retries once', async () => {
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

  it('runs several commands of a step in order and keeps the first 8 KiB of output', async () => {
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

  it('applies success_criteria', async () => {
    const workspace = new SessionWorkspace();
    await workspace.begin([
      task('IMPL-1', analysis({ step: 'a', command: 'bash(exit 3)', success_criteria: 'exit_code:3' })),
      task(
        'IMPL-2',
        analysis({ step: 'a', command: 'bash(echo yes)', success_criteria: ['exit_code:0', 'contains:no'] }),
      ),
    ]);
    const { stderr } = await workspace.run(['execute', '--on-failure', 'continue'], {
      env: workspace.standInClaude(),
    });
    expect(workspace.task('IMPL-1')['status']).toBe('completed');
    // A criterion that is met is no failure, whatever the exit code was.
    expect(stderr).toMatch(/✓ IMPL-1\/a /);
    expect(stderr).not.toMatch(/✗ IMPL-1/);
    expect(stderr).toMatch(/✗ IMPL-2 /);
    expect(workspace.task('IMPL-2')).toMatchObject({
      status: 'blocked',
      execution: { last_error: 'check failed: the output does not contain `no`' },
    });
  });

  it.each([
    ['continue', 'completed', '<half>\n'],
    ['skip', 'completed', '<>\n'],
    ['fail', 'blocked', undefined],
  ] as const)('manual_intervention waits, then applies the choice `%s`', async (choice, status, seen) => {
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
