import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleValue } from '../../src/agents/sample-value.ts';
import { createRunAgent } from '../../src/effects/agent/run-agent.ts';
import type { RunAgentInput, RunAgentOutput } from '../../src/effects/contracts.ts';
import { checkSchema } from '../../src/model/check-schema.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { type AgentRig, ask, createAgentRig } from './rig.ts';

let rig: AgentRig;
beforeEach(() => {
  rig = createAgentRig();
});
afterEach(() => rig.remove());

/** It starts no process, so none is provided. */
const run = createRunAgent({
  runProcess: () => {
    throw new Error('the mock agent started a process');
  },
});

async function answer(
  script?: JsonValue,
  rest: Partial<RunAgentInput> & { attempt?: number; signal?: AbortSignal } = {},
): Promise<RunAgentOutput> {
  const { attempt = 1, signal, ...input } = rest;
  const agent = { type: 'builtin', adapter: 'mock', ...(script !== undefined && { script }) } as const;
  const context = rig.context({ attempt, ...(signal !== undefined && { signal }) });
  return await run(ask('Write a poem.\nAbout rain.', { agent, ...input }), context);
}

describe('the mock agent', () => {
  it('answers without a script, always the same', async () => {
    const [first, second] = [await answer(), await answer()];
    expect(first).toMatchObject({
      outcome: 'done',
      answer: 'This is the mock agent. I was asked: Write a poem.',
      spent: { costUsd: 0 },
      model: 'mock',
    });
    expect({ ...second, debug: null }).toEqual({ ...first, debug: null });
  });

  it('does what its script says', async () => {
    const output = await answer({
      answer: 'Said: {prompt}',
      files: { 'out/a.txt': 'A', 'b.txt': 'B' },
      tools: [{ name: 'Bash', input: { command: 'ls' }, output: 'a.txt', error: true }],
      todos: [{ content: 'one', status: 'completed' }],
      cost_usd: null,
      usage: { input_tokens: 7, output_tokens: 3 },
      turns: 4,
    });
    expect(output).toMatchObject({
      answer: 'Said: Write a poem.\nAbout rain.',
      turns: 4,
      spent: { costUsd: null, usage: { inputTokens: 7, outputTokens: 3 } },
    });
    expect([rig.read('out/a.txt'), rig.read('b.txt')]).toEqual(['A', 'B']);
    expect(rig.events().map((event) => event.type)).toEqual([
      ...['started', 'tool-use', 'tool-result', 'todo'],
      ...['tool-use', 'tool-result', 'tool-use', 'tool-result', 'text', 'result'],
    ]);
  });

  it.each(['../evil', 'a/../../evil'])('does not write to %s', async (path) => {
    const output = await answer({ files: { [path]: 'x' } });
    expect(output.failure).toMatchObject({ type: 'unsafe-path' });
    expect(fs.existsSync(join(rig.workspace, path))).toBe(false);
  });

  it('does not write to an absolute path', async () => {
    const path = join(temporaryFolder(), 'evil');
    expect((await answer({ files: { [path]: 'x' } })).failure).toMatchObject({ type: 'unsafe-path' });
    expect(fs.existsSync(path)).toBe(false);
  });

  it.each([
    ['rate-limited', 1],
    ['overloaded', 1],
    ['api-error', 1],
    ['auth', 2],
    ['denied', 2],
    ['max-turns', 1],
    ['over-budget', 1],
    ['invalid-input', 2],
    ['timed-out', 124],
    ['idle', 124],
    ['hung-after-result', 0],
    ['crashed', 1],
    ['not-found', 127],
    ['done', 0],
  ])('can end as %s', async (outcome, exitCode) => {
    expect(await answer({ outcome })).toMatchObject({ outcome, exitCode });
  });

  it('writes no secret of its prompt or script into a log, a response or an event', async () => {
    const secret = 'hunter2-"quoted"';
    const masked = createRunAgent({ runProcess: () => Promise.reject(new Error()), secrets: [secret] });
    const script = {
      answer: `It was {prompt}, and ${secret}`,
      tools: [{ name: 'Bash', input: { command: secret }, output: secret }],
    };
    const agent = { type: 'builtin', adapter: 'mock', script } as const;
    const output = await masked(ask(`Keep ${secret}`, { agent }), rig.context());
    expect(output.answer).toBe('It was Keep ***, and ***');
    const files = ['logs/Ask.stdout', 'prompts/001-Ask.txt', 'responses/001-Ask.json'];
    const kept = [...files.map(rig.readRun), JSON.stringify(output), JSON.stringify(rig.progress)];
    for (const text of kept) expect(text).not.toContain('hunter2');
  });

  it('can act differently in each attempt', async () => {
    const script = {
      answer: 'Fine.',
      attempts: [{ outcome: 'rate-limited', resets_at: '2030-01-01T00:00:00Z' }, { outcome: 'crashed' }, {}],
    };
    expect((await answer(script)).failure).toMatchObject({ outcome: { resetsAt: '2030-01-01T00:00:00Z' } });
    expect(await answer(script, { attempt: 2 })).toMatchObject({ outcome: 'crashed' });
    expect(await answer(script, { attempt: 3 })).toMatchObject({ outcome: 'done', answer: 'Fine.' });
    expect(await answer(script, { attempt: 9 })).toMatchObject({ outcome: 'done' });
  });

  it('can time out, and can be interrupted', async () => {
    expect(await answer({ delay_ms: 60_000 }, { timeoutMs: 20 })).toMatchObject({ outcome: 'timed-out' });
    const controller = new AbortController();
    const reason = new Error('stop');
    const pending = answer({ delay_ms: 60_000 }, { signal: controller.signal });
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });

  it('reports mistakes in its script', async () => {
    const output = await answer({ answr: 'x', turns: 0 });
    expect(output.failure).toMatchObject({
      outcome: { type: 'invalid-input', message: expect.stringMatching(/`turns`.*`answr`|`answr`.*`turns`/) },
    });
  });
});

describe('the mock agent asked for a structured answer', () => {
  const schemas: readonly JsonObject[] = [
    {
      type: 'object',
      properties: { a: { type: 'string', minLength: 9 }, b: { enum: ['x', 'y'] } },
      required: ['a', 'b'],
    },
    {
      type: 'array',
      minItems: 2,
      items: { $ref: '#/$defs/item' },
      $defs: { item: { type: 'integer', minimum: 3 } },
    },
    { anyOf: [{ type: 'object', required: ['k'], properties: { k: { const: 5 } } }, { type: 'null' }] },
    { type: ['string', 'null'], format: 'date-time' },
    {
      type: 'object',
      properties: { nested: { type: 'object', required: ['x'], properties: { x: { type: 'boolean' } } } },
      required: ['nested'],
    },
  ];
  it.each(schemas.map((schema) => [JSON.stringify(schema), schema] as const))(
    'returns one that matches %s',
    async (_text, schema) => {
      expect(checkSchema(schema, sampleValue(schema))).toEqual([]);
      expect(await answer(undefined, { jsonSchema: schema })).toMatchObject({ outcome: 'done' });
    },
  );

  it('does not hang on a schema that contains itself', () => {
    const tree = {
      $ref: '#/$defs/t',
      $defs: { t: { type: 'object', required: ['t'], properties: { t: { $ref: '#/$defs/t' } } } },
    };
    expect(sampleValue(tree)).toBeDefined();
  });
});
