import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { countOf, until } from '../rig/orchestrate.ts';
import { ask, BUILTINS, once, READ_FILE, resultsOf, Talk, text } from './rig.ts';

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
    expect(await resultsOf(talk)).toEqual([['success', `${hostile}|n=3!|${hostile}3|`]]);
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
    expect(await resultsOf(talk)).toEqual([['success', word]]);
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
    const results = await resultsOf(talk);
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
    const results = await resultsOf(talk);
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
    expect(await resultsOf(talk)).toEqual([
      ['error', 'the command ended with exit code 7\nout\n--- standard error ---\nerr\n'],
    ]);
    expect(countOf(talk, 'talk/tries')).toBe(3);
  });

  it('that does not exist is reported', async () => {
    const talk = once([ask('t1', 'gone', {})], [{ name: 'gone', command: ['no-such-program-here'] }]);
    expect(await resultsOf(talk)).toEqual([
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
    expect(await resultsOf(talk)).toEqual([['timeout', 'timed out after 1 s\nbegun\n']]);
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
    expect(await resultsOf(talk)).toEqual([
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
    await resultsOf(talk);
    expect(talk.read('talk/log').split('\n').slice(0, -1)).toEqual(
      ['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]),
    );
  });
});
