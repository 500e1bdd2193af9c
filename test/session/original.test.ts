import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Json, SessionWorkspace } from './rig.ts';

const FIXTURE = path.join(import.meta.dirname, 'fixtures', 'original');
const SESSION = '.workflow/active/WFS-shop-checkout';

/** A project with the session `WFS-shop-checkout` of the original tool: twenty tasks, two of them completed and one a container. */
class OriginalWorkspace extends SessionWorkspace {
  constructor() {
    super({
      'src/price/price.ts': 'export const round = (cents: number) => Math.round(cents);\n',
      'src/styles/main.css': '.cart { color: red }\n',
      'src/keys/README.md': 'Shortcuts are in src/keys.\n',
    });
    fs.cpSync(FIXTURE, this.folder, { recursive: true });
  }

  original(id: string): Json {
    return JSON.parse(this.read(`${SESSION}/.task/${id}.json`)) as Json;
  }

  /** The prompt of the task's agent. */
  promptOf(id: string): string {
    return this.prompts().find(({ prompt }) => prompt.startsWith(`Work on the task ${id}:`))?.prompt ?? '';
  }
}

function taskFiles(): readonly string[] {
  return fs.readdirSync(path.join(FIXTURE, SESSION, '.task'));
}

describe('a session of the original tool', () => {
  it('opens: its only active session is the active one, and all twenty tasks are valid', async () => {
    const workspace = new OriginalWorkspace();
    expect(taskFiles()).toHaveLength(20);
    const checked = await workspace.ok(['task', 'validate']);
    expect(checked.stderr).toMatch(/20 tasks are valid\n$/);
    expect(checked.stderr).not.toContain('error[');
    const status = await workspace.ok(['session', 'status']);
    expect(status.stdout).toContain(
      'WFS-shop-checkout: Checkout for the shop\n  active, PLAN, complex, kind workflow\n',
    );
    expect(status.stdout).toContain('2/19 tasks completed, 1 active');
    const list = await workspace.ok(['session', 'list']);
    expect(list.stdout).toContain('WFS-shop-checkout  active');
  });

  it('is refused by `task validate --strict`, which names what is missing', async () => {
    const workspace = new OriginalWorkspace();
    const strict = await workspace.run(['task', 'validate', '--strict', '--json']);
    expect(strict.exitCode).toBe(2);
    const found = JSON.parse(strict.stdout) as {
      code: string;
      severity: string;
      file: string;
      message: string;
    }[];
    expect(found.every(({ severity }) => severity === 'warning')).toBe(true);
    const messages = (id: string) =>
      found
        .filter(({ file }) => file.endsWith(`/${id}.json`))
        .map(({ code, message }) => `${code} ${message}`);
    expect(messages('IMPL-004')).toEqual(['task/missing-field missing field `flow_control`']);
    expect(messages('IMPL-005')).toEqual([
      'task/missing-field missing field `context`',
      'task/missing-field missing field `flow_control`',
    ]);
    expect(messages('IMPL-002')).toEqual([
      'task/wrong-type must be a list of strings',
      'task/wrong-type must be a list of strings',
    ]);
    expect(messages('IMPL-007.1')).toEqual([]);
  });

  it('shows every task as it is', async () => {
    const workspace = new OriginalWorkspace();
    for (const name of taskFiles()) {
      const shown = await workspace.ok(['task', 'show', name.replace(/\.json$/, '')]);
      expect(JSON.parse(shown.stdout)).toEqual(
        JSON.parse(fs.readFileSync(path.join(FIXTURE, SESSION, '.task', name), 'utf8')),
      );
    }
  });

  it('is executed, every task in its order, with what `Read`, `Glob`, `Grep` and earlier summaries say', async () => {
    const workspace = new OriginalWorkspace();
    const env = workspace.standInClaude();
    const ended = await workspace.ok(['execute'], { env });
    expect(ended.stderr + ended.stdout).not.toContain('✗');
    for (const name of taskFiles())
      expect(workspace.original(name.replace(/\.json$/, ''))['status'], name).toBe('completed');
    expect(workspace.prompts()).toHaveLength(17);
    const prices = workspace.promptOf('IMPL-002');
    expect(prices).toContain('"conventions": "money is in cents"');
    // The hand-written summary, once through the script of the task and once as the result of its dependency.
    expect(prices.split('`addLine` merges equal articles')).toHaveLength(4);
    expect(workspace.promptOf('IMPL-A2')).toContain('the slots `header` and `lines`');
    expect(workspace.promptOf('IMPL-003')).toContain('src/price/price.ts:1:export const round');
    expect(workspace.promptOf('IMPL-006')).toContain('"conventions": "money is in cents"');
    expect(workspace.promptOf('IMPL-008')).toContain('### styles\n\nsrc/styles/main.css\n');
    expect(workspace.promptOf('IMPL-009')).toContain(
      '## Context to gather first\n\n- Explore the code: `mcp__code-index__find_files(pattern="src/date")`\n- Examples of the library: `mcp__exa__get_code_context_exa(query="date library", tokensNum="dynamic")`',
    );
    expect(workspace.promptOf('IMPL-010')).toContain('now it takes 180 ms');
    expect(workspace.promptOf('IMPL-010')).toContain('- Read the profile of the last release');
    expect(workspace.promptOf('IMPL-014')).toContain('- Look at how other shops do it');
    expect(workspace.promptOf('IMPL-015')).toMatch(
      /^Work on the task IMPL-015: Show an empty cart kindly\.\n/,
    );
    const order = workspace.prompts().map(({ prompt }) => /^Work on the task (\S+):/.exec(prompt)?.[1]);
    const startsBefore = (a: string, b: string) =>
      expect(order.indexOf(a), `${a} before ${b}`).toBeLessThan(order.indexOf(b));
    startsBefore('IMPL-002', 'IMPL-003');
    startsBefore('IMPL-012', 'IMPL-013');
    startsBefore('IMPL-A2', 'IMPL-015');
    startsBefore('IMPL-A2', 'IMPL-B1');
  });

  it('keeps its words and files: new tasks continue its ids, plan and list stay, views are beside them', async () => {
    const workspace = new OriginalWorkspace();
    const untouched = [
      'IMPL_PLAN.md',
      'TODO_LIST.md',
      '.summaries/IMPL-001-summary.md',
      '.summaries/IMPL-A1.md',
      '.process/context-package.json',
    ];
    const before = new Map(untouched.map((name) => [name, workspace.read(`${SESSION}/${name}`)]));
    expect((await workspace.ok(['task', 'create', '--title', 'One more'])).stdout).toBe('IMPL-016\n');
    expect((await workspace.ok(['task', 'create', '--title', 'Part', '--parent', 'IMPL-007'])).stdout).toBe(
      'IMPL-007.3\n',
    );
    await workspace.ok(['views']);
    await workspace.ok(['repair']);
    for (const [name, text] of before) expect(workspace.read(`${SESSION}/${name}`), name).toBe(text);
    expect(workspace.list(SESSION).filter((name) => /kept/.test(name))).toEqual([]);
    expect(workspace.read(`${SESSION}/TODO_LIST.generated.md`)).toContain('**IMPL-016**: One more');
    expect(workspace.original('IMPL-001')['summary']).toEqual({
      text: before.get('.summaries/IMPL-001-summary.md')?.trimEnd(),
    });
    expect(JSON.parse(workspace.read(`${SESSION}/workflow-session.json`))).toMatchObject({
      session_id: 'WFS-shop-checkout',
      project: 'Checkout for the shop',
      type: 'workflow',
      status: 'planning',
      created_at: '2025-11-03T09:12:44+08:00',
      execution_context: { strategy: 'agent', parallel_groups: 3 },
      task_count: 20,
    });
  });

  it('is completed into the archives beside the list that the original tool keeps there', async () => {
    const workspace = new OriginalWorkspace();
    workspace.write({ '.workflow/archives/manifest.json': '[{"session_id": "WFS-earlier"}]\n' });
    await workspace.ok(['session', 'complete', '--force']);
    expect(workspace.has('.workflow/archives/WFS-shop-checkout/.task/IMPL-001.json')).toBe(true);
    const manifest = JSON.parse(workspace.read('.workflow/archives/manifest.json')) as Json[];
    expect(manifest.map((entry) => entry['session_id'])).toEqual(['WFS-earlier', 'WFS-shop-checkout']);
    expect((await workspace.ok(['session', 'status', 'shop-checkout'])).stdout).toContain('completed');
  });
});

/** Documents of other versions of the tool: other words for the same facts, and most facts missing. */
const SCANTY: { readonly [path: string]: Json } = {
  'active/WFS-oauth/workflow-session.json': {
    session_id: 'WFS-oauth',
    project: 'Sign in with other accounts',
    status: 'active',
    phase: 'IMPLEMENT',
    stats: { total_tasks: 3 },
    meta: { created: '2025-09-05T10:00:00Z' },
  },
  'active/WFS-oauth/.task/IMPL-001.json': {
    id: 'IMPL-001',
    title: 'Look up the account',
    status: 'pending',
    meta: { type: 'feature', execution_group: 'a' },
    context: { objective: 'Find it', deliverables: ['lookup'], acceptance_criteria: ['it is found'] },
    flow_control: { pre_analysis: ['Read how accounts are stored'], execution_steps: ['look', 'write'] },
  },
  'active/WFS-oauth/.task/IMPL-002.json': {
    id: 'IMPL-002',
    title: 'Keep the token',
    status: 'pending',
    meta: { type: 'feature', agent: '@code-developer', tdd_phase: 'green' },
    context: { depends_on: ['IMPL-001'] },
    flow_control: {
      pre_analysis: [
        { step: 'frame', action: 'Check', command: 'bash(exit 1)', output_to: 'frame', on_error: 'warn' },
        { step: 'wrap', action: 'Analyse', command: '~/.tools/analyse -p tokens', output_to: 'analysis' },
        { step: 'two', action: 'Explore', command: 'mcp__a__find(x="1") && mcp__b__search(y="2")' },
      ],
      implementation_approach: [
        { step: 1, title: 'Store', modification_points: 'the store', logic_flow: 'sign in → store' },
      ],
      target_files: ['from the analysis'],
    },
  },
  'active/WFS-oauth/.task/IMPL-fix-1.json': {
    id: 'IMPL-fix-1',
    title: 'Fix what the tests found',
    status: 'pending',
    meta: { type: 'test-fix-iteration', iteration: 1, parent_task: 'IMPL-002' },
    context: { depends_on: ['IMPL-002'] },
    flow_control: {
      pre_analysis: [
        { step: 'failures', command: 'Read(.process/failures.json)', on_error: 'skip_optional' },
      ],
      exit_conditions: { success: 'all_tests_pass' },
    },
  },
  'archives/WFS-ideas/workflow-session.json': {
    session_id: 'WFS-ideas',
    type: 'brainstorming',
    topic: 'Ideas for the search',
    selected_roles: ['ui-designer'],
    timestamp: '2025-10-24T10:30:00Z',
  },
  'WFS-bare/workflow-session.json': { session_id: 'WFS-bare', project: 'Hardly anything' },
};

describe('sessions of other versions of the tool', () => {
  const scanty = (): SessionWorkspace =>
    new SessionWorkspace(
      Object.fromEntries(
        Object.entries(SCANTY).map(([name, document]) => [`.workflow/${name}`, JSON.stringify(document)]),
      ),
    );

  it('open and are executed, with what the program cannot do handed to the agent', async () => {
    const workspace = scanty();
    const list = JSON.parse((await workspace.ok(['session', 'list', '--json'])).stdout) as Json[];
    expect(list.map(({ session_id, state }) => `${session_id} ${state}`)).toEqual([
      'WFS-bare paused',
      'WFS-oauth active',
      'WFS-ideas completed',
    ]);
    expect((await workspace.ok(['task', 'validate'])).stderr).toMatch(/3 tasks are valid\n$/);
    await workspace.ok(['execute'], { env: workspace.standInClaude() });
    const prompts = workspace.prompts().map(({ prompt }) => prompt);
    expect(prompts.map((prompt) => /^Work on the task (\S+):/.exec(prompt)?.[1])).toEqual([
      'IMPL-001',
      'IMPL-002',
      'IMPL-fix-1',
    ]);
    expect(prompts[0]).toContain('Read how accounts are stored');
    expect(prompts[1]).toContain('- Analyse: `~/.tools/analyse -p tokens`');
    expect(prompts[1]).toContain('- Explore: `mcp__a__find(x="1") && mcp__b__search(y="2")`');
    const status = JSON.parse((await workspace.ok(['session', 'status', '--json'])).stdout);
    expect(status).toMatchObject({
      meta: { created: '2025-09-05T10:00:00Z' },
      stats: { total_tasks: 3 },
      created_at: '2025-09-05T10:00:00Z',
      tasks: { total: 3, completed: 3 },
    });
  });

  it('have a date even if their document has none, also in the archives', async () => {
    const workspace = scanty();
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    const status = await workspace.ok(['session', 'status', 'WFS-bare', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ created_at: date, updated_at: date });
    await workspace.ok(['session', 'complete', 'WFS-bare']);
    const { archives } = JSON.parse(workspace.read('.workflow/archives/manifest.json'));
    expect(archives).toMatchObject([
      { session_id: 'WFS-bare', project: 'Hardly anything', type: 'simple', created_at: date },
    ]);
    const ideas = await workspace.ok(['session', 'status', 'WFS-ideas', '--json']);
    expect(JSON.parse(ideas.stdout)).toMatchObject({
      project: 'Ideas for the search',
      created_at: '2025-10-24T10:30:00Z',
    });
  });
});
