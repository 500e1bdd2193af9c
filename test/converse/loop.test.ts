import { describe, expect, it } from 'vitest';
import { ask, READ_FILE, Talk, text, WRITE_FILE } from './rig.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('a conversation', () => {
  it('writes every file of its layout with the documented names and fields', async () => {
    const talk = new Talk({
      says: [
        [text('I read it.'), ask('toolu_abc123', 'read_file', { path: 'data.csv' })],
        [ask('toolu_def456', 'write_file', { path: 'report.md', content: '# Report\n' })],
        [text('Done.')],
      ],
      workflow: { task: 'Analyze data.csv' },
      files: { 'talk/data.csv': 'a,b\n1,2\n' },
    });
    const ended = await talk.converse(['run', 'talk']);
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'Done.\n' });

    const session = talk.session();
    const id = String(session['session_id']);
    expect(id).toMatch(/^sess_\d{8}_\d{6}_[a-z0-9]{6}$/);
    expect(session).toEqual({
      session_id: id,
      created_at: expect.stringMatching(TIME),
      current_iteration: 3,
      status: 'completed',
      completed_at: expect.stringMatching(TIME),
      metadata: {
        task: 'Analyze data.csv',
        user: expect.any(String),
        agent: 'mock',
        max_iterations: 5,
        run_id: talk.runs()[0],
        run_folder: '..',
      },
    });
    expect(talk.list('talk')).toEqual(
      [
        ...['config', 'config/tools.yaml', 'config/workflow.yaml', 'data.csv', 'prompts', 'report.md'],
        ...[1, 2, 3].map((n) => `prompts/iteration_00${n}.txt`),
        'responses',
        ...[1, 2, 3].map((n) => `responses/iteration_00${n}.json`),
        ...['state', 'state/message_history.jsonl', `state/${id}.json`, 'state/tool_results.json'],
      ].sort(),
    );
    const [first, , third] = talk.history();
    expect(first).toEqual({
      iteration: 1,
      role: 'user',
      content: 'Analyze data.csv',
      timestamp: expect.stringMatching(TIME),
      session_id: id,
    });
    expect(third?.content).toContain('Tool: read_file\nStatus: success\nOutput:\na,b\n1,2\n');
    expect(talk.turns()).toEqual([1, 2, 3].flatMap((n) => [`${n} user`, `${n} assistant`]));
    expect(talk.history()[1]?.content).toEqual([
      text('I read it.'),
      ask('toolu_abc123', 'read_file', { path: 'data.csv' }),
    ]);
    expect(talk.results()).toEqual({
      iteration: 2,
      results: [
        {
          tool_use_id: 'toolu_def456',
          tool_name: 'write_file',
          status: 'success',
          output: 'wrote 9 bytes to `report.md`\n',
          executed_at: expect.stringMatching(TIME),
        },
      ],
    });
    expect(talk.json('responses/iteration_003.json')).toEqual({ content: [text('Done.')] });
    expect(talk.read('talk/report.md')).toBe('# Report\n');
    expect(talk.state()).toMatchObject({ kind: 'converse', status: 'completed', session_id: id });
  });

  it('sends the content of the prompt file: template, tools and answer schema', async () => {
    const talk = new Talk({
      says: [[ask('t1', 'read_file', { path: 'a.txt' })], [text('Done.')]],
      files: {
        'talk/a.txt': 'alpha',
        'talk/templates/base_prompt.txt':
          'T {task_description} I {iteration} S {previous_summary}\n{context}\n{tool_results_section}\n{{literal}} {"json": 1}\n',
      },
    });
    expect(await talk.converse(['run', 'talk', '--task', 'Look {at} it'])).toMatchObject({ exitCode: 0 });
    const [first = '', second = ''] = [1, 2].map((n) => talk.read(`talk/prompts/iteration_00${n}.txt`));
    expect(first).toMatch(/^T Look \{at\} it I 1 S none, this is the first iteration\n/);
    expect(first).toContain('{literal} {"json": 1}');
    expect(first).toContain('- `read_file`: ');
    expect(first).toContain('"tool_use"');
    expect(second).toContain('S iteration 1: tools: read_file {"path":"a.txt"} → success');
    expect(second).toContain('You requested `read_file` (t1): {"path":"a.txt"}');
    expect(second).toContain('Status: success\nOutput:\nalpha\n');
    const sent = talk.list('.orchestrate/runs').find((name) => name.endsWith('001-iteration.1.txt'));
    expect(talk.read(`.orchestrate/runs/${sent}`)).toBe(first);
  });

  it('that runs out of iterations is exhausted with exit code 1, and can be resumed with a new limit', async () => {
    const again = [ask('t', 'read_file', { path: 'a.txt' })];
    const talk = new Talk({
      says: [again, again, again, [text('Done.')]],
      workflow: { max_iterations: 2 },
      files: { 'talk/a.txt': 'alpha' },
    });
    const ended = await talk.converse(['run', 'talk']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('the agent still requested tools after 2 iterations');
    expect(ended.stderr).toMatch(
      /to continue: orchestrate converse resume talk --session sess_\w+ --max-iterations 4\n/,
    );
    expect(talk.session()).toMatchObject({ status: 'exhausted', current_iteration: 2 });
    expect(talk.session()).not.toHaveProperty('completed_at');
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 1 });
    expect(talk.turns()).toHaveLength(4);

    expect(await talk.converse(['resume', 'talk', '--max-iterations', '9'])).toMatchObject({ exitCode: 0 });
    expect(talk.session()).toMatchObject({ status: 'completed', current_iteration: 4 });
    expect(talk.turns()).toEqual([1, 2, 3, 4].flatMap((n) => [`${n} user`, `${n} assistant`]));
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('nothing to do'),
    });
  });

  it('uses task, limit, agent and name from the command line', async () => {
    const talk = new Talk({ says: [[text('Done.')]], workflow: { agent: 'claude' } });
    const words = ['--task', 'Another', '--max-iterations', '7', '--agent', 'mock', '--session', 'mine'];
    expect(await talk.converse(['run', 'talk', ...words])).toMatchObject({ exitCode: 0 });
    expect(talk.json('state/mine.json')).toMatchObject({
      session_id: 'mine',
      metadata: { task: 'Another', max_iterations: 7, agent: 'mock' },
    });
  });

  it('in a dry run needs no key, and its tools change nothing', async () => {
    const talk = new Talk({
      says: [[text('unused')]],
      tools: [READ_FILE, WRITE_FILE, { name: 'touch', command: ['touch', 'made'], approve: 'always' }],
      workflow: { agent: 'claude' },
      files: { 'talk/sample': 'here' },
    });
    expect(await talk.converse(['run', 'talk', '--dry-run'])).toMatchObject({ exitCode: 0 });
    expect(
      talk.results().results.map(({ tool_name, status, output }) => [tool_name, status, output]),
    ).toEqual([
      ['read_file', 'success', 'here'],
      ['write_file', 'success', 'dry run: this would write 6 bytes to `sample`'],
      ['touch', 'success', 'dry run: this would run touch made'],
    ]);
    expect(talk.read('talk/sample')).toBe('here');
    expect(talk.has('talk/made')).toBe(false);
    expect(talk.session()).toMatchObject({ status: 'completed', metadata: { dry_run: true } });
  });
});

describe('an answer', () => {
  const request = { content: [ask('t1', 'read_file', { path: 'a.txt' })] };
  const files = { 'talk/a.txt': 'alpha' };

  it.each([
    ['bare', JSON.stringify(request)],
    ['fenced', `I will look.\n\n\`\`\`json\n${JSON.stringify(request, null, 2)}\n\`\`\`\n\nThat is all.`],
    ['embedded', `{"not": "this"} I answer ${JSON.stringify(request)} and {so on}`],
  ])('that is %s in the text is parsed', async (_, said) => {
    const talk = new Talk({ says: [said, [text('Done.')]], files });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 0 });
    expect(talk.json('responses/iteration_001.json')).toEqual(request);
    expect(talk.results()).toMatchObject({ iteration: 1, results: [{ status: 'success', output: 'alpha' }] });
  });

  it.each([
    ['plain words', 'It is done; see {report}.'],
    ['JSON of another shape', '{"content": "words"}'],
    ['a list', '[1, 2]'],
  ])('of %s is kept as raw text and ends the conversation', async (_, said) => {
    const talk = new Talk({ says: [said] });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 0, stdout: `${said}\n` });
    expect(talk.json('responses/iteration_001.json')).toEqual({ text: said, raw: true });
    expect(talk.history()[1]?.content).toEqual({ text: said, raw: true });
    expect(talk.session()).toMatchObject({ status: 'completed', current_iteration: 1 });
    expect(talk.state()).toMatchObject({ steps: { 'iteration/1': { status: 'completed' } } });
  });

  it('that is truncated in a tool request is reported to the agent, and does not end the conversation', async () => {
    const cut =
      '{"content": [{"type": "tool_use", "id": "a", "name": "write_file", "input": {"path": "a.txt", "cont';
    const talk = new Talk({ says: [cut, [text('Now whole.')]] });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 0, stdout: 'Now whole.\n' });
    expect(talk.json('responses/iteration_001.json')).toMatchObject({ raw: true, malformed: true });
    expect(talk.read('talk/prompts/iteration_002.txt')).toContain('your answer was not read');
    const hopeless = new Talk({ says: [cut] });
    expect(await hopeless.converse(['run', 'talk'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('3 answers in a row were malformed'),
    });
    expect(hopeless.session()).toMatchObject({ status: 'failed' });
  });

  it('that is too long is reported to the agent, which may answer again', async () => {
    const talk = new Talk({ says: ['x'.repeat(1_200_000), [text('Shorter.')]] });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 0, stdout: 'Shorter.\n' });
    expect(talk.json('responses/iteration_001.json')).toMatchObject({ raw: true, truncated: true });
    expect(talk.read('talk/prompts/iteration_002.txt')).toContain('your answer was longer than 1 MiB');
  });

  it('with malformed requests gets error results, and its valid requests run', async () => {
    const talk = new Talk({
      says: [
        [
          ask('same', 'read_file', { path: 'a.txt' }),
          ask('same', 'read_file', { path: 'a.txt' }),
          ask('no spaces', 'read_file', { path: 'a.txt' }),
          ask('t4', 'read_fil', { path: 'a.txt' }),
          ask('t5', 'read_file', { file: 'a.txt' }),
          { type: 'tool_use', id: 't6', input: {} },
          { type: 'tool_use', id: 't7', name: 'read_file', input: 'a.txt' },
          { type: 'image' },
          { type: 'text' },
          { type: 'tool_use', name: 'read_file', input: { path: 'a.txt' } },
          42,
        ],
        [text('Done.')],
      ],
      files,
    });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 0 });
    const told = talk
      .results()
      .results.map(({ tool_use_id, status, output }) => [tool_use_id, status, output]);
    const malformed = (id: string, reason: string) => [id, 'error', `the request is malformed: ${reason}`];
    expect(told).toEqual([
      ['same', 'success', 'alpha'],
      malformed('toolu_001_2', 'duplicate id `same` in this answer; each request needs its own'),
      malformed('toolu_001_3', '`id` must consist of at most 100 letters, digits, `_`, `-`, `.` and `:`'),
      malformed('t4', 'unknown tool `read_fil`; did you mean `read_file`?'),
      ['t5', 'error', expect.stringContaining('the input does not match the `input_schema`')],
      malformed('t6', 'a block of type `tool_use` needs the `name` of a tool'),
      malformed('t7', '`input` must be an object'),
      malformed('toolu_001_8', 'unknown block type `"image"`; use `text` or `tool_use`'),
      malformed('toolu_001_9', 'a block of type `text` needs a `text`'),
      ['toolu_001_10', 'success', 'alpha'],
      malformed('toolu_001_11', 'a block of `content` must be an object with a `type`'),
    ]);
  });
});

describe('consecutive errors', () => {
  const nonsense = [ask('t', 'nobody', {})];

  it('fail the conversation when there are too many, and resume asks again', async () => {
    const talk = new Talk({ says: [nonsense] });
    const ended = await talk.converse(['run', 'talk']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('3 answers in a row were malformed');
    expect(talk.session()).toMatchObject({ status: 'failed', current_iteration: 3 });
    expect(talk.turns()).toEqual([1, 2, 3].flatMap((n) => [`${n} user`, `${n} assistant`]));
    talk.write({ 'talk/config/workflow.yaml': 'task: another' });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 1 });
    expect(talk.turns()).toEqual([1, 2, 3].flatMap((n) => [`${n} user`, `${n} assistant`]));
  });

  it('are reset by a valid answer', async () => {
    const sound = [ask('t', 'read_file', { path: 'missing.txt' })];
    const talk = new Talk({ says: [nonsense, nonsense, sound, nonsense, [text('Done.')]] });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 0 });
  });

  it('include failed agent calls, after their retries', async () => {
    const broken = { outcome: 'overloaded' };
    const talk = new Talk({ says: [broken], workflow: { limits: { max_consecutive_errors: 2 } } });
    const ended = await talk.converse(['run', 'talk']);
    expect(ended.exitCode).toBe(1);
    expect(talk.step('iteration/1')).toMatchObject({ status: 'failed', outcome: 'overloaded', attempts: 2 });
    expect(talk.session()).toMatchObject({ status: 'failed', current_iteration: 0 });
    expect(talk.turns()).toEqual(['1 user']);
  });

  it('are not retried when a retry cannot help', async () => {
    const talk = new Talk({ says: [{ outcome: 'auth', message: 'no key' }] });
    const ended = await talk.converse(['run', 'talk']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('no key');
    expect(talk.step('iteration/1')).toMatchObject({ attempts: 1 });
  });

  it('are reset when a failed call succeeds after resume', async () => {
    const talk = new Talk({
      says: [],
      workflow: {
        agent: {
          name: 'mock',
          script: {
            structured: { content: [text('Done.')] },
            attempts: [{ outcome: 'auth' }, { outcome: 'done' }],
          },
        },
      },
    });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 1 });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 0, stdout: 'Done.\n' });
    expect(talk.session()).toMatchObject({ status: 'completed', current_iteration: 1 });
    expect(talk.turns()).toEqual(['1 user', '1 assistant']);
  });
});
