/** Answers nested too deep for recursive code. */
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

const DEEP = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;

const workflow = (provider: object, step: object): string =>
  JSON.stringify({
    name: 'deep',
    providers: { own: provider },
    steps: [{ name: 'Ask', provider: 'own', input_file: 'prompt.txt', retries: 0, ...step }],
  });

const SCHEMA = { expect: { json_schema: { type: 'array' } } };

describe('an answer nested 60,000 levels deep', () => {
  it.each<[string, object, object, string]>([
    [
      'with a schema',
      { command: ['cat', 'deep.json'], input_mode: 'stdin', adapter: 'plain' },
      SCHEMA,
      'its JSON is nested more than 400 levels deep',
    ],
    [
      'in a fence, with a schema',
      { command: ['cat', 'fenced.md'], input_mode: 'stdin', adapter: 'plain' },
      SCHEMA,
      'its JSON is nested more than 400 levels deep',
    ],
    [
      'read as JSON',
      { command: ['cat', 'deep.json'], input_mode: 'stdin', adapter: 'plain', result: 'json:0' },
      {},
      'the output is nested more than 400 levels deep',
    ],
    [
      "in Claude Code's stream",
      { command: ['cat', 'stream.jsonl'], input_mode: 'stdin', adapter: 'claude' },
      SCHEMA,
      'its result is nested more than 400 levels deep, which is too large to read',
    ],
  ])('%s fails its step, and the run can be resumed', async (_what, provider, step, message) => {
    const site = new Workspace({
      'w.yaml': workflow(provider, step),
      'prompt.txt': 'Go.\n',
      'deep.json': DEEP,
      'fenced.md': `Here:\n\`\`\`json\n${DEEP}\n\`\`\`\n`,
      'stream.jsonl': `{"type":"result","subtype":"success","is_error":false,"result":"","structured_output":${DEEP}}\n`,
    });
    const first = await site.run(['run', 'w.yaml']);
    expect(first.exitCode, first.stderr).toBe(1);
    expect(first.stderr).toContain(message);
    const again = await site.run(['resume', 'last']);
    expect(again.exitCode, again.stderr).toBe(1);
    expect(again.stderr).toContain(message);
    expect((await site.run(['show', 'last'])).exitCode).toBe(0);
  });

  it('is kept if nothing has to be read from it', async () => {
    const provider = { command: ['cat', 'deep.json'], input_mode: 'stdin', adapter: 'plain' };
    const site = new Workspace({
      'w.yaml': workflow(provider, { output_file: 'out.txt' }),
      'prompt.txt': 'Go.\n',
      'deep.json': DEEP,
    });
    expect(await site.run(['run', 'w.yaml', '--quiet'])).toMatchObject({ exitCode: 0 });
    expect(site.read('out.txt')).toBe(DEEP);
  });

  it('fails a command step that captures it as JSON', async () => {
    const steps = [{ name: 'Cat', command: ['cat', 'deep.json'], output_capture: 'json' }];
    const site = new Workspace({ 'w.yaml': JSON.stringify({ name: 'deep', steps }), 'deep.json': DEEP });
    const ended = await site.run(['run', 'w.yaml']);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain('the output is nested more than 400 levels deep');
  });
});

it('is kept, shown and read again if it is within the limit', async () => {
  const deep = `${'['.repeat(400)}${']'.repeat(400)}`;
  const steps = [
    { name: 'Cat', command: ['cat', 'deep.json'], output_capture: 'json' },
    { name: 'Fail', command: ['false'] },
  ];
  const site = new Workspace({ 'w.yaml': JSON.stringify({ name: 'deep', steps }), 'deep.json': deep });
  expect(await site.run(['run', 'w.yaml', '--quiet'])).toMatchObject({ exitCode: 1 });
  expect(await site.run(['resume', 'last', '--quiet'])).toMatchObject({ exitCode: 1 });
  for (const argv of [
    ['show', 'last'],
    ['show', 'last', '--json'],
    ['runs'],
    ['report', 'last'],
    ['explain', 'last'],
  ])
    expect((await site.run(argv)).exitCode, argv.join(' ')).toBe(0);
});

describe('a schema that is slow for some answers', () => {
  it.each<[string, object, string]>([
    ['by a `pattern`', { type: 'string', pattern: '^(a+)+$' }, JSON.stringify(`${'a'.repeat(60)}!`)],
    ['by `uniqueItems`', { uniqueItems: true }, JSON.stringify(Array.from({ length: 50_000 }, (_, i) => i))],
  ])('%s rejects them after a bounded time', async (_what, json_schema, answer) => {
    const provider = { command: ['cat', 'answer.json'], input_mode: 'stdin', adapter: 'plain' };
    const site = new Workspace({
      'w.yaml': workflow(provider, { expect: { json_schema } }),
      'prompt.txt': 'Go.\n',
      'answer.json': answer,
    });
    const ended = await site.run(['run', 'w.yaml']);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain('checking it against the schema takes too long');
  });
});
