import { describe, expect, it } from 'vitest';
import { killAt } from '../rig/kill-at.ts';
import { refusing } from '../rig/refusing.ts';
import { DOCUMENT, PhasesSite, VIEW } from './site.ts';

async function calculator(): Promise<PhasesSite> {
  const site = new PhasesSite();
  await site.create('Create calculator module::general-purpose', 'Write and run tests::tester');
  return site;
}

describe('phases create', () => {
  it.each([
    [
      'failed',
      (folder: string) => refusing(folder, { kind: 'write', file: 'workflow_state_system', number: 1 }),
    ],
    [
      'was killed',
      () => killAt({ when: 'before', kind: 'write', file: 'workflow-history.jsonl', number: 1 }),
    ],
  ])('completes a creation that %s when the document was already written', async (_how, disturbed) => {
    const site = new PhasesSite();
    const argv = ['phases', 'create', 'Write it', '--phase', 'First::engineer', '--quiet'];
    const first = await site.run(argv, { env: disturbed(site.folder) });
    expect(first.exitCode).not.toBe(0);
    expect(site.has(DOCUMENT)).toBe(true);
    const other = ['phases', 'create', 'Another', '--phase', 'First::engineer'];
    expect(await site.run(other)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('error: a workflow already exists here\nhelp: archive it with '),
    });
    expect(await site.run(argv)).toMatchObject({ exitCode: 0, stdout: `${site.document().id}\n` });
    expect(site.read(VIEW)).toContain('First');
    expect(site.history()).toHaveLength(1);
    expect(await site.run(argv)).toMatchObject({ exitCode: 2 });
  });

  it('writes the document and its view, and prints the id', async () => {
    const site = new PhasesSite();
    const ended = await site.phases('create', 'Write it', '--phase', 'First::engineer', '--phase', 'Second');
    expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^wf_\d{8}_\d{6}\n$/) });
    expect(site.document()).toMatchObject({
      id: ended.stdout.trim(),
      task: 'Write it',
      status: 'pending',
      current_phase: null,
      phases: [
        {
          id: 'phase_0',
          title: 'First',
          agent: 'engineer',
          status: 'pending',
          deliverables: [],
          context_for_next: '',
        },
        {
          id: 'phase_1',
          title: 'Second',
          agent: '',
          status: 'pending',
          deliverables: [],
          context_for_next: '',
        },
      ],
    });
    expect(site.read(VIEW)).toBe(`# Workflow Status: Write it

Status: pending | Current Phase: none

## Phases

- [ ] Phase 0: First
- [ ] Phase 1: Second

<!-- Generated from state/workflow.json; changes here are ignored. -->
`);
    expect(site.history()).toMatchObject([{ from: null, to: 'pending', by: 'command' }]);
  });

  it('reads the phases from a file', async () => {
    const site = new PhasesSite({ 'plan.yaml': 'phases:\n  - title: One\n    agent: engineer\n  - Two\n' });
    expect(await site.phases('create', 'Write it', '--file', 'plan.yaml')).toMatchObject({ exitCode: 0 });
    expect(site.document().phases.map(({ title, agent }) => [title, agent])).toEqual([
      ['One', 'engineer'],
      ['Two', ''],
    ]);
  });

  it('lets an agent plan the phases in a run with its cost', async () => {
    const site = new PhasesSite();
    const plan = {
      phases: [
        { title: 'Think', agent: '' },
        { title: 'Do', agent: 'engineer' },
      ],
    };
    const script = `cat > /dev/null; echo '${JSON.stringify(plan)}'`;
    site.write({ 'planner.sh': script });
    const ended = await site.phases('create', 'Write it', '--plan', '--agent', 'sh planner.sh', '--quiet');
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(site.document().phases.map(({ title }) => title)).toEqual(['Think', 'Do']);
    expect(site.state()).toMatchObject({ kind: 'phases', status: 'completed' });
  });

  it.each([
    [['--phase', '::engineer'], 'phase 0 has no title'],
    [
      ['--phase', 'One::../../etc'],
      'the agent of phase 0 must be `*` or consist of letters, digits, `_`, `.` and `-`',
    ],
    [[], 'give phases with exactly one of'],
    [['--file', 'none.json'], '`none.json` cannot be read'],
  ])('refuses %j and writes nothing', async (flags, words) => {
    const site = new PhasesSite();
    const ended = await site.phases('create', 'Write it', ...flags);
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(words) });
    expect(site.list('.')).toEqual([]);
  });

  it('refuses to replace an existing workflow unless it is archived', async () => {
    const site = await calculator();
    const before = site.read(DOCUMENT);
    expect(await site.phases('create', 'Another', '--phase', 'One')).toMatchObject({ exitCode: 2 });
    expect(site.read(DOCUMENT)).toBe(before);
    expect(await site.phases('create', 'Another', '--phase', 'One', '--archive')).toMatchObject({
      exitCode: 0,
    });
    expect(site.document().task).toBe('Another');
    const { last_change: _created, ...rest } = JSON.parse(before);
    expect(JSON.parse(site.read(`.claude/state/archive/${rest.id}.json`))).toEqual({
      ...rest,
      last_change: [expect.objectContaining({ from: 'pending', to: 'archived' })],
    });
  });
});

describe('the life of a phase', () => {
  it('advances from phase to phase until all are completed', async () => {
    const site = await calculator();
    expect(await site.phases('next')).toMatchObject({
      exitCode: 0,
      stdout: 'phase_0 active Create calculator module (general-purpose)\n',
    });
    expect(site.document()).toMatchObject({ status: 'active', current_phase: 'phase_0' });
    const done = await site.phases(
      ...['complete', 'phase_0', '--deliverable', 'calculator.py', '--deliverable', 'four functions'],
      ...['--context', 'add, subtract, multiply, divide'],
    );
    expect(done).toMatchObject({ exitCode: 0, stderr: 'now: phase_1 active Write and run tests (tester)\n' });
    expect(site.document()).toMatchObject({
      status: 'active',
      current_phase: 'phase_1',
      phases: [
        {
          status: 'completed',
          deliverables: ['calculator.py', 'four functions'],
          context_for_next: 'add, subtract, multiply, divide',
          attempts: 1,
          started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          completed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        },
        { status: 'active' },
      ],
    });
    expect(site.read(VIEW)).toContain(
      'Status: active | Current Phase: Write and run tests\n\n## Phases\n\n- [x] Phase 0: Create calculator module → calculator.py, four functions\n- [ ] Phase 1: Write and run tests\n',
    );
    expect((await site.phases('show')).stdout).toContain(
      'Context from phase_0:\n\nadd, subtract, multiply, divide\n',
    );
    expect(await site.phases('complete', 'phase_1')).toMatchObject({ exitCode: 0 });
    expect(site.document()).toMatchObject({ status: 'completed', current_phase: null });
    expect(await site.phases('next')).toMatchObject({ exitCode: 1, stderr: 'all phases are completed\n' });
    expect(site.history().map(({ phase, from, to }) => [phase, from, to])).toEqual([
      [undefined, null, 'pending'],
      ['phase_0', 'pending', 'active'],
      ['phase_0', 'active', 'completed'],
      ['phase_1', 'pending', 'active'],
      ['phase_1', 'active', 'completed'],
    ]);
  });

  it('stops after a failure until the phase is retried', async () => {
    const site = await calculator();
    await site.phases('start', 'phase_0');
    await site.phases('fail', 'phase_0', '--error', 'no disk');
    expect(site.document()).toMatchObject({ status: 'failed', current_phase: null });
    expect(site.read(VIEW)).toContain('- [ ] Phase 0: Create calculator module (failed: no disk)');
    for (const words of [['start', 'phase_1'], ['next'], ['complete', 'phase_0']]) {
      expect(await site.phases(...words)).toMatchObject({
        exitCode: 2,
        stderr: 'error: `phase_0` failed: no disk\nhelp: retry it with `orchestrate phases retry phase_0`\n',
      });
    }
    await site.phases('retry', 'phase_0');
    expect(site.document()).toMatchObject({ status: 'active', current_phase: 'phase_0' });
    const [phase] = site.document().phases;
    expect(phase).toMatchObject({ attempts: 2 });
    expect(phase).not.toHaveProperty('error');
  });

  it.each([
    [['start', 'phase_1'], '`phase_0` is already active; only one phase can be active at a time'],
    [['start', 'phase_0'], '`phase_0` is already active'],
    [['complete', 'phase_1'], '`phase_1` is pending\nhelp: `phase_0` is active; end it first'],
    [['fail', 'phase_1'], '`phase_1` is pending\nhelp: `phase_0` is active; end it first'],
    [['retry', 'phase_0'], '`phase_0` is active; only a failed phase can be retried'],
    [['complete', 'phase_7'], 'unknown phase `phase_7`'],
  ])('refuses %j while the first phase is active', async (words, message) => {
    const site = await calculator();
    await site.phases('start');
    const before = site.read(DOCUMENT);
    expect(await site.phases(...words)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`error: ${message}`),
    });
    expect(site.read(DOCUMENT)).toBe(before);
  });

  it('keeps unknown fields and their order', async () => {
    const site = await calculator();
    const document = { note: 'mine', ...site.document(), extra: { a: [1] } };
    site.write({
      [DOCUMENT]: JSON.stringify({
        ...document,
        phases: document.phases.map((p) => ({ owner: 'me', ...p })),
      }),
    });
    await site.phases('start');
    const after = site.document() as unknown as { [key: string]: unknown };
    expect(after).toMatchObject({
      note: 'mine',
      extra: { a: [1] },
      phases: [{ owner: 'me' }, { owner: 'me' }],
    });
    expect(Object.keys(after)).toEqual(Object.keys(document));
  });

  it('reports all problems of a document at once', async () => {
    const site = new PhasesSite({
      [DOCUMENT]:
        '{"id":"x","task":1,"status":"odd","phases":[{"id":"a","title":"A","status":"pending"},{"id":"a"}]}',
    });
    const { exitCode, stderr } = await site.phases('show');
    expect(exitCode).toBe(2);
    for (const words of [
      '`task` must be a string',
      '`status` must be one of',
      '`phases[1].id` is `a`, which another phase already uses',
      '`phases[1].title` must be a string',
    ])
      expect(stderr).toContain(words);
  });

  it('loses nothing when many processes write at once', async () => {
    const site = new PhasesSite();
    const count = 12;
    await site.create(...Array.from({ length: count }, (_, i) => `Phase number ${i}`));
    await site.phases('start');
    const failed = (
      await Promise.all(
        Array.from({ length: count }, () => site.phases('complete', 'phase_0', '--deliverable', 'x')),
      )
    ).filter(({ exitCode }) => exitCode !== 0);
    expect(failed).toHaveLength(count - 1);
    expect(site.statuses().slice(0, 2)).toEqual(['completed', 'active']);
    expect(site.history()).toHaveLength(4);
  });
});

describe('phases show', () => {
  it('writes nothing, and --json prints the document, the missed changes and the todo list of the agent', async () => {
    const site = await calculator();
    await site.phases('start');
    const files = site.list('.claude');
    const { exitCode, stdout } = await site.phases('show', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ ...site.document(), reconcile: [], todos: [] });
    expect(site.list('.claude')).toEqual(files);
  });

  it('prints single phases as JSON too', async () => {
    const site = await calculator();
    const { stdout } = await site.phases('next', '--json');
    expect(JSON.parse(stdout)).toEqual({ ...site.document().phases[0], context_from_previous: '' });
    const done = await site.phases('complete', 'phase_0', '--json');
    expect(JSON.parse(done.stdout)).toEqual(site.document().phases[0]);
  });
});

describe('phases archive', () => {
  it('archives the workflow, its view and the todo list of the agent', async () => {
    const site = await calculator();
    const { id } = site.document();
    const ended = await site.phases('archive');
    expect(ended).toMatchObject({ exitCode: 0, stdout: `.claude/state/archive/${id}.json\n` });
    expect(site.list('.claude')).toEqual([
      'state',
      'state/.written.sha256',
      'state/archive',
      `state/archive/${id}.json`,
      `state/archive/${id}.md`,
      'state/workflow-history.jsonl',
    ]);
    expect(await site.phases('show')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('error: no workflow found here\n'),
    });
  });

  it('keeps two workflows created in the same second', async () => {
    const site = await calculator();
    const made = site.read(DOCUMENT);
    const { id } = site.document();
    for (let number = 0; number < 2; number += 1) {
      site.write({ [DOCUMENT]: made });
      expect(await site.phases('archive')).toMatchObject({ exitCode: 0 });
    }
    expect(site.list('.claude/state/archive').filter((name) => name.endsWith('.json'))).toEqual([
      `${id}-2.json`,
      `${id}.json`,
    ]);
  });
});
