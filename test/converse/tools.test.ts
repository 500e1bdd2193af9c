import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { onTerminal } from '../iterate/on-terminal.ts';
import { BINARY, countOf, until } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { ask, READ_FILE, Talk, text, WRITE_FILE } from './rig.ts';

const BUILTINS = [
  READ_FILE,
  WRITE_FILE,
  { name: 'list_files', builtin: 'list_files' },
  { name: 'search', builtin: 'search' },
  { name: 'run_command', builtin: 'run_command' },
];

/** One turn with tools, then the end. */
function once(requests: readonly object[], tools: readonly object[], files = {}): Talk {
  return new Talk({
    says: [requests, [text('Done.')]],
    tools: tools as { [key: string]: unknown }[],
    files: { 'talk/a.txt': 'alpha\nbeta\n', ...files },
  });
}

async function told(talk: Talk): Promise<readonly (readonly [string, string])[]> {
  const ended = await talk.converse(['run', 'talk']);
  expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
  return talk.results().results.map(({ status, output }) => [status, output] as const);
}

describe('the built-in tools', () => {
  it('read, write, list, search and run', async () => {
    const talk = once(
      [
        ask('t1', 'read_file', { path: 'a.txt' }),
        ask('t2', 'write_file', { path: 'deep/b.txt', content: 'gamma\n' }),
        ask('t3', 'list_files', { glob: '**/*.txt' }),
        // The second is in the prompt, a file of the conversation itself.
        ask('t4', 'search', { pattern: '^[bg]|^You are', glob: '**/*.txt' }),
        ask('t5', 'run_command', { argv: ['cat', 'deep/b.txt'] }),
        ask('t6', 'read_file', { path: 'a.txt', offset: 6, limit: 3 }),
      ],
      BUILTINS,
    );
    expect(await told(talk)).toEqual([
      ['success', 'alpha\nbeta\n'],
      ['success', 'wrote 6 bytes to `deep/b.txt`\n'],
      ['success', 'a.txt\ndeep/b.txt\n'],
      ['success', 'a.txt:2: beta\ndeep/b.txt:1: gamma\n'],
      ['success', 'gamma\n'],
      ['success', 'bet\n[bytes 6 to 9 of 11 of `a.txt`; continue with `offset` 9]\n'],
    ]);
  });

  it('stay inside the root, however they are asked to leave it', async () => {
    const outside = 'must stay inside the workspace';
    const talk = once(
      [
        ask('t1', 'read_file', { path: '../secret.txt' }),
        ask('t2', 'read_file', { path: '/nowhere/secret.txt' }),
        ask('t3', 'read_file', { path: 'link/secret.txt' }),
        ask('t4', 'write_file', { path: '../made.txt', content: 'x' }),
        ask('t5', 'write_file', { path: 'link/made.txt', content: 'x' }),
        ask('t6', 'list_files', { glob: '../*' }),
        ask('t7', 'search', { pattern: 'secret', glob: 'link/*' }),
        ask('t8', 'read_file', { path: 'file-link' }),
      ],
      BUILTINS,
      { 'outside/secret.txt': 'secret', 'secret.txt': 'secret' },
    );
    fs.symlinkSync('../outside', path.join(talk.folder, 'talk/link'));
    fs.symlinkSync('../secret.txt', path.join(talk.folder, 'talk/file-link'));
    const results = await told(talk);
    expect(results.map(([status]) => status)).toEqual([
      ...['error', 'error', 'error', 'error', 'error', 'error', 'success', 'error'],
    ]);
    expect(results[0]?.[1]).toContain(outside);
    expect(results[2]?.[1]).toContain('leads outside the workspace through a link');
    expect(results[6]?.[1]).toBe('no matches\n');
    expect(JSON.stringify(results)).not.toContain('root:x');
    expect(talk.list('outside')).toEqual(['secret.txt']);
    expect(talk.has('made.txt')).toBe(false);
  });

  it('do not write to the files of the conversation itself', async () => {
    const talk = once(
      ['config/tools.yaml', 'templates/base_prompt.txt', 'state/x.json', 'sessions/x', '.orchestrate/x'].map(
        (place, index) => ask(`t${index}`, 'write_file', { path: place, content: 'mine' }),
      ),
      BUILTINS,
    );
    const before = talk.read('talk/config/tools.yaml');
    for (const result of await told(talk))
      expect(result).toEqual(['error', expect.stringContaining('belongs to the conversation itself')]);
    expect(talk.read('talk/config/tools.yaml')).toBe(before);
    expect(talk.has('talk/templates')).toBe(false);
  });

  it('work in the root of the workflow, which may be outside the workspace folder', async () => {
    const talk = new Talk({
      says: [
        [
          ask('t1', 'read_file', { path: 'code.txt' }),
          ask('t2', 'run_command', { argv: ['pwd'] }),
          ask('t3', 'write_file', { path: 'talk/config/tools.yaml', content: 'mine' }),
          ask('t4', 'write_file', { path: '.orchestrate/runs/answer.json', content: 'mine' }),
        ],
        [text('Done.')],
      ],
      tools: BUILTINS,
      workflow: { root: '..' },
      files: { 'code.txt': 'code' },
    });
    expect(await told(talk)).toEqual([
      ['success', 'code'],
      ['success', `${talk.folder}\n`],
      ['error', expect.stringContaining('belongs to the conversation itself')],
      ['error', expect.stringContaining('belongs to the conversation itself')],
    ]);
  });

  it('report a missing or binary file, a folder, and a bad pattern', async () => {
    const talk = once(
      [
        ask('t1', 'read_file', { path: 'missing.txt' }),
        ask('t2', 'read_file', { path: 'binary' }),
        ask('t3', 'read_file', { path: 'config' }),
        ask('t4', 'write_file', { path: 'config', content: '' }),
        ask('t5', 'search', { pattern: '(' }),
      ],
      BUILTINS,
      { 'talk/binary': 'a\0b' },
    );
    const results = await told(talk);
    expect(results.every(([status]) => status === 'error')).toBe(true);
    expect(results[0]?.[1]).toBe('cannot read `missing.txt`: no such file or folder (ENOENT)\n');
    expect(results[1]?.[1]).toContain('is not a text file');
    expect(results[2]?.[1]).toContain('is a folder');
    expect(results[4]?.[1]).toContain('`pattern`: ');
  });

  it('give up on a regular expression that never finishes', async () => {
    const talk = once(
      [ask('t1', 'search', { pattern: '^(a+)+$', glob: 'long.txt' })],
      [{ name: 'search', builtin: 'search', timeout_sec: 0.3 }],
      { 'talk/long.txt': `${'a'.repeat(50)}!\n` },
    );
    expect(await told(talk)).toEqual([['timeout', expect.stringContaining('timed out after 0.3 s')]]);
  });

  it('do not block the program while a regular expression runs', async () => {
    const talk = once(
      [ask('t1', 'search', { pattern: '^(a+)+$', glob: 'long.txt' })],
      [{ name: 'search', builtin: 'search', timeout_sec: 3600 }],
      { 'talk/long.txt': `${'a'.repeat(50)}!\n` },
    );
    const { child, ended } = talk.startConverse(['run', 'talk']);
    const isSearching = () =>
      talk.runs().length > 0 &&
      talk.journal().some(({ type, key }) => type === 'step-started' && key === '1/t1/run');
    await until(isSearching);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ exitCode: 130 });
  });

  it('refuse a glob that would take forever', async () => {
    const talk = once(
      [
        ask('t1', 'list_files', { glob: '{'.repeat(100_000) }),
        ask('t2', 'search', { pattern: 'a', glob: '{a,b}'.repeat(20_000) }),
        ask('t3', 'list_files', { glob: '*.txt' }),
      ],
      BUILTINS,
    );
    expect(await told(talk)).toEqual([
      ['error', `the path \`${'{'.repeat(100)}…\` nests braces more than 100 deep\n`],
      ['error', `the path \`${'{a,b}'.repeat(20)}…\` has more than 1000 alternatives in its braces\n`],
      ['success', 'a.txt\n'],
    ]);
  });
});

describe('a tool with a command', () => {
  const schema = {
    type: 'object',
    properties: { word: { type: 'string' }, count: { type: 'integer' } },
    required: ['word'],
  };

  it('gets its input as arguments, without a shell', async () => {
    const hostile = '$(touch made); `touch made` "quoted" \'single\' * ; rm -rf .';
    const talk = once(
      [ask('t1', 'echo', { word: hostile, count: 3 })],
      [
        {
          name: 'echo',
          command: [
            'printf',
            '%s|',
            '{{input.word}}',
            'n={{ input.count }}!',
            '{{input.word}}{{input.count}}',
          ],
          input_schema: schema,
        },
      ],
    );
    expect(await told(talk)).toEqual([['success', `${hostile}|n=3!|${hostile}3|`]]);
    expect(talk.has('talk/made')).toBe(false);
  });

  it('gets them as positional parameters if the command is a shell', async () => {
    const word = 'a"; touch made; echo "$(touch made)';
    const talk = once(
      [ask('t1', 'echo', { word })],
      [
        {
          name: 'echo',
          command: ['bash', '-c', 'printf %s "$1"', '_', '{{input.word}}'],
          input_schema: schema,
        },
      ],
    );
    expect(await told(talk)).toEqual([['success', word]]);
    expect(talk.has('talk/made')).toBe(false);
  });

  it('is given values of the model that a shell would run, in a root with such a name, as data', async () => {
    const hostile = [
      'a[$(touch PWNED)]',
      '$(touch PWNED)',
      '`touch PWNED`',
      "'; touch PWNED; '",
      '!touch PWNED',
    ];
    const root = 'talk/$(touch PWNED);`touch PWNED`\'"a[$(touch PWNED)]';
    const number = "case $1 in ''|*[!0-9]*) exit 2 ;; esac; echo $(($1 + 1))";
    const X = '{{input.word}}';
    const commands = {
      argument: ['printf', '%s', X],
      parameter: ['bash', '-c', 'printf %s "$1"', '_', X],
      variable: ['env', `A=${X}`, 'bash', '-c', 'printf %s "$A"'],
      nested: ['bash', '-c', 'sh -c \'printf %s "$1"\' _ "$1"', '_', X],
      found: ['find', '.', '-maxdepth', '0', '-exec', 'printf', '%s', X, ';'],
    };
    const tools = [
      ...BUILTINS,
      ...Object.entries({ ...commands, number: ['bash', '-c', number, '_', X] }).map(([name, command]) => ({
        ...{ name, command, input_schema: schema },
      })),
    ];
    const requests = hostile.flatMap((word, index) => [
      ...Object.keys(commands).map((name) => ask(`${name}_${index}`, name, { word })),
      ask(`run_${index}`, 'run_command', { argv: ['printf', '%s', word] }),
    ]);
    const refused = hostile.map((word, index) => ask(`number_${index}`, 'number', { word }));
    const files = hostile.flatMap((path, index) => [
      ask(`write_${index}`, 'write_file', { path, content: path }),
      ask(`read_${index}`, 'read_file', { path }),
    ]);
    const talk = new Talk({
      says: [[...requests, ...refused, ...files], [text('Done.')]],
      ...{ tools, workflow: { root: root.slice('talk/'.length) }, files: { [`${root}/a.txt`]: 'alpha\n' } },
    });
    const results = await told(talk);
    const words = hostile.flatMap((word) => Array.from(Object.keys(commands).concat('run'), () => word));
    expect(results.slice(0, words.length)).toEqual(words.map((word) => ['success', word]));
    const numbers = results.slice(words.length, words.length + hostile.length);
    expect(numbers.map(([status]) => status)).toEqual(hostile.map(() => 'error'));
    const read = results.slice(words.length + hostile.length).filter((_, index) => index % 2 === 1);
    expect(read).toEqual(hostile.map((word) => ['success', word]));
    expect(talk.list(root)).toEqual([...hostile, 'a.txt'].sort());
    const everything = fs.readdirSync(talk.folder, { recursive: true, encoding: 'utf8' });
    expect(everything.filter((file) => path.basename(file).startsWith('PWNED'))).toEqual([]);
  });

  it('is not run if its input has the wrong shape or lacks a value', async () => {
    const talk = once(
      [ask('t1', 'touch', { word: 7 }), ask('t2', 'touch', {}), ask('t3', 'touch', { word: 'x' })],
      [{ name: 'touch', command: ['touch', 'made-{{input.word}}-{{input.count}}'], input_schema: schema }],
    );
    const results = await told(talk);
    expect(results.map(([status]) => status)).toEqual(['error', 'error', 'error']);
    expect(results[0]?.[1]).toContain('`word`');
    expect(results[2]?.[1]).toContain('no value for `input.count`');
    expect(talk.list('talk').filter((name) => name.startsWith('made'))).toEqual([]);
  });

  it('that fails is retried as configured, then reported to the agent with its exit code and output', async () => {
    const talk = once(
      [ask('t1', 'fail', {})],
      [
        {
          name: 'fail',
          command: ['bash', '-c', 'echo x >> tries; echo out; echo err >&2; exit 7'],
          retries: 2,
        },
      ],
    );
    expect(await told(talk)).toEqual([
      ['error', 'the command ended with exit code 7\nout\n--- standard error ---\nerr\n'],
    ]);
    expect(countOf(talk, 'talk/tries')).toBe(3);
  });

  it('that does not exist is reported', async () => {
    const talk = once([ask('t1', 'gone', {})], [{ name: 'gone', command: ['no-such-program-here'] }]);
    expect(await told(talk)).toEqual([
      ['error', expect.stringContaining('`no-such-program-here` not found on PATH')],
    ]);
  });

  it('that hangs is ended with its children after its timeout', async () => {
    const talk = once(
      [ask('t1', 'hang', {})],
      [
        {
          name: 'hang',
          command: ['bash', '-c', 'echo begun; sleep 600 & echo $! > child; wait'],
          timeout_sec: 1,
        },
      ],
    );
    expect(await told(talk)).toEqual([['timeout', 'timed out after 1 s\nbegun\n']]);
    const child = Number(talk.read('talk/child'));
    await until(() => !fs.existsSync(`/proc/${child}/stat`) || isZombie(child));
  });

  it('that prints 10 MB is shown by its beginning and end, with the full output in a file the agent can read', async () => {
    const script = 'for i in $(seq 1 100000); do printf "%0100d\\n" "$i"; done';
    const talk = new Talk({
      says: [
        [ask('t1', 'flood', {})],
        [ask('t2', 'read_file', { path: 'tool_outputs/iteration_001_t1.txt', offset: 10_000_000 })],
        [text('Done.')],
      ],
      tools: [{ name: 'flood', command: ['bash', '-c', script] }, READ_FILE],
    });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 0 });
    const whole = talk.read('talk/tool_outputs/iteration_001_t1.txt');
    expect(whole).toHaveLength(10_100_000);
    const prompt = talk.read('talk/prompts/iteration_002.txt');
    expect(prompt).toContain(`${'1'.padStart(100, '0')}\n`);
    expect(prompt).toContain(`${'100000'.padStart(100, '0')}\n`);
    expect(prompt).toMatch(
      /\[… \d+ of 10100000 bytes omitted; the full output is in `tool_outputs\/iteration_001_t1\.txt` …\]/,
    );
    expect(Buffer.byteLength(prompt)).toBeLessThan(80 * 1024);
    const [read] = talk.results().results;
    expect(read?.output.startsWith(whole.slice(10_000_000, 10_050_000))).toBe(true);
    expect(Buffer.byteLength(read?.output ?? '')).toBeLessThanOrEqual(64 * 1024);
  });
});

function isZombie(pid: number): boolean {
  try {
    return / Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

describe('several tools of one turn', () => {
  /** Waits until the other has started too, so that it ends only if both run at once. */
  const meet = (name: string, other: string) => ({
    name,
    command: [
      'bash',
      '-c',
      `touch ${name}.begun; until [ -e ${other}.begun ]; do sleep 0.02; done; echo ${name}`,
    ],
    parallel_safe: true,
    timeout_sec: 30,
  });

  it('run in parallel if they are parallel_safe, with results in the order of the requests', async () => {
    const talk = once([ask('t1', 'one', {}), ask('t2', 'two', {})], [meet('one', 'two'), meet('two', 'one')]);
    expect(await told(talk)).toEqual([
      ['success', 'one\n'],
      ['success', 'two\n'],
    ]);
  });

  it('run one after the other if one of them is not', async () => {
    const step = (name: string, isSafe: boolean) => ({
      name,
      command: ['bash', '-c', `echo ${name} begins >> log; sleep 0.1; echo ${name} ends >> log`],
      parallel_safe: isSafe,
    });
    const talk = once(
      [ask('t1', 'one', {}), ask('t2', 'two', {}), ask('t3', 'three', {})],
      [step('one', true), step('two', false), step('three', true)],
    );
    await told(talk);
    expect(talk.read('talk/log').split('\n').slice(0, -1)).toEqual(
      ['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]),
    );
  });
});

describe('a tool that needs approval', () => {
  const tools = (approve: string) => [
    { name: 'deploy', command: ['bash', '-c', 'echo x >> deployed; echo deployed'], approve },
  ];
  const other = [{ name: 'greet', command: ['echo', 'hi'], approve: 'once' }];
  const turn = [
    [
      ask('t1', 'deploy', {}),
      ask('t2', 'greet', {}),
      // Decided by the answer to the request before it.
      ask('t3', 'greet', {}),
      ask('t4', 'deplo', {}),
    ],
    [text('Done.')],
  ];
  const twice = [[ask('toolu_1', 'deploy', {})], [ask('toolu_2', 'deploy', {})], [text('Done.')]];

  it('waits with exit code 3 until the user allows it, each time', async () => {
    const talk = new Talk({ says: twice, tools: tools('always') });
    const asked = await talk.converse(['run', 'talk']);
    expect(asked.exitCode).toBe(3);
    expect(asked.stderr).toContain("allow `deploy` to run bash -c 'echo x >> deployed; echo deployed'?");
    expect(talk.session()).toMatchObject({ status: 'waiting', current_iteration: 0 });
    expect(talk.has('talk/deployed')).toBe(false);
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 3 });

    const [runId = ''] = talk.runs();
    expect(await talk.run(['approve', runId, '1/toolu_1', '--choose', 'allow'])).toMatchObject({
      exitCode: 0,
    });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 3 });
    expect(talk.session()).toMatchObject({ status: 'waiting', current_iteration: 1 });
    expect(countOf(talk, 'talk/deployed')).toBe(1);

    const no = ['approve', runId, '2/toolu_2', '--choose', 'deny', '--comment', 'not on a Friday'];
    expect(await talk.run(no)).toMatchObject({ exitCode: 0 });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 0 });
    expect(talk.results().results).toMatchObject([
      { status: 'denied', output: 'the user denied this: not on a Friday' },
    ]);
    expect(countOf(talk, 'talk/deployed')).toBe(1);
    expect(talk.session()).toMatchObject({ status: 'completed', current_iteration: 3 });
  });

  it('is asked about together with the others of its turn, and malformed requests are shown', async () => {
    const talk = new Talk({ says: turn, tools: [...tools('always'), ...other] });
    const asked = await talk.converse(['run', 'talk']);
    expect(asked.exitCode).toBe(3);
    expect(asked.stderr).toContain(
      '→ 1/t4  the agent requested `deplo`, which was not run: unknown tool `deplo`; did you mean `deploy`?\n',
    );
    expect(Object.keys(talk.state().waiting_for ?? {})).toEqual(['1/t1', '1/t2']);
    expect(await talk.run(['approve', 'last', 't2', '--choose', 'deny'])).toMatchObject({ exitCode: 0 });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 3 });
    expect(talk.has('talk/deployed')).toBe(false);
    expect(await talk.run(['approve', 'last', 't1', '--choose', 'allow'])).toMatchObject({ exitCode: 0 });
    expect(await talk.converse(['resume', 'talk'])).toMatchObject({ exitCode: 0 });
    expect(talk.results().results.map(({ status }) => status)).toEqual([
      ...['success', 'denied', 'denied', 'error'],
    ]);
    expect(countOf(talk, 'talk/deployed')).toBe(1);
  });

  it('is asked about at once on a terminal, and the conversation continues', async () => {
    const talk = new Talk({ says: turn, tools: [...tools('always'), ...other] });
    const elsewhere = temporaryFolder();
    fs.mkdirSync(path.join(elsewhere, 'tmp'));
    const place = { folder: talk.folder, path: process.env['PATH'] ?? '', elsewhere };
    const terminal = onTerminal(place, ['converse', 'run', 'talk', '--trust'], { binary: BINARY });
    await until(() => terminal.text().includes("deployed'? (allow, deny)"));
    terminal.press('allow\r');
    await until(() => terminal.text().includes('run echo hi? (allow, deny)'));
    terminal.press('d\r');
    expect(await terminal.ended).toBe(0);
    // The figures are those of the whole run.
    const shown = (await talk.run(['show', 'last'])).stdout;
    expect(shown).toContain(', 3 steps\n');
    expect(terminal.cells()).toContain('✓ completed  3 steps  ');
    expect(talk.session()).toMatchObject({ status: 'completed', current_iteration: 2 });
    expect(talk.results().results.map(({ status }) => status)).toEqual([
      ...['success', 'denied', 'denied', 'error'],
    ]);
  });

  it('with `approve: once` is not asked about again', async () => {
    const talk = new Talk({ says: twice, tools: tools('once') });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 3 });
    expect(await talk.run(['approve', 'last', 'toolu_1', '--choose', 'allow'])).toMatchObject({
      exitCode: 0,
    });
    const resumed = await talk.converse(['resume', 'talk']);
    // The figures are those of the whole run.
    const steps = /, (\d+) steps\n/.exec((await talk.run(['show', 'last'])).stdout)?.[1];
    expect(resumed).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`✓ completed  ${steps} steps  `),
    });
    expect(countOf(talk, 'talk/deployed')).toBe(2);
  });

  it('can be resumed like any other run', async () => {
    const talk = new Talk({
      says: [[ask('toolu_1', 'deploy', {})], [text('Done.')]],
      tools: tools('always'),
    });
    expect(await talk.converse(['run', 'talk'])).toMatchObject({ exitCode: 3 });
    await talk.run(['approve', 'last', '1/toolu_1', '--choose', 'allow']);
    expect(await talk.run(['resume', 'last'])).toMatchObject({ exitCode: 0 });
    expect(talk.session()).toMatchObject({ status: 'completed', current_iteration: 2 });
  });
});
