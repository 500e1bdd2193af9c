/** `testWorkflow`, as a user calls it from a test of any framework. */
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { runProgram } from './run-program.ts';

const REVIEW = `
const Verdict = { '~standard': {
  version: 1, vendor: 'test',
  validate: (value) => value.risk === undefined ? { issues: [{ message: 'no risk' }] } : { value },
  jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
} };
const review = workflow({
  name: 'review',
  agents: { reviewer: { adapter: 'claude', model: 'opus' } },
  async run(ctx, input) {
    const { lines: files } = await ctx.command('Changes', ['git', 'diff', '--name-only', input.base], { capture: 'lines' });
    const verdicts = await ctx.each('Review', files, async (ctx, file) => {
      const { data } = await ctx.agent('Ask', { agent: 'reviewer', prompt: 'Review ' + file, schema: Verdict, expect: { reask: 1 } });
      return { file, ...data };
    }, { limit: 3 });
    await ctx.sleep('Night', '9h');
    if (verdicts.some(({ risk }) => risk === 'high')) {
      const go = await ctx.approve('Release', { message: 'Release?', choices: ['yes', 'no'], within: '3d', default: 'no' });
      if (go === 'no') return { published: false };
    }
    await ctx.command('Publish', ['./publish.sh'], { retries: 2, retryDelay: '1h' });
    return { published: true, id: await ctx.uuid('Id'), at: await ctx.now('At') };
  },
});
const standIns = {
  input: { base: 'main' },
  agents: { reviewer: ({ prompt }) => ({ verdict: 'ship', risk: prompt.includes('auth') ? 'high' : 'low' }) },
  commands: { Changes: { lines: ['auth.ts', 'ui.ts'] }, Publish: {} },
  answers: { Release: 'yes' },
};
const told = ({ status, output, failure, questions, keys }) => ({ status, output, failure, questions, keys });
const rejection = (action) => action().then(() => 'fine', (problem) => problem.message);
`;

function test<Value>(text: string): Value {
  return runProgram(new Workspace(), { before: REVIEW, text });
}

describe('testWorkflow', () => {
  it('runs a workflow without agents, people and waiting, survives a kill after every record, and replays', () => {
    const got = test<{ [name: string]: unknown }>(`
      const t = await testWorkflow(review, standIns);
      await t.killAtEveryCall();
      await t.replay();
      return told(t);
    `);
    expect(got).toEqual({
      status: 'completed',
      output: {
        published: true,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        at: expect.stringMatching(/Z$/),
      },
      questions: [],
      keys: ['Changes', 'Review/0/Ask', 'Review/1/Ask', 'Night', 'Release', 'Publish'],
    });
  });

  it('gives a question without an answer its default, or waits', () => {
    const got = test(`
      const late = await testWorkflow(review, { ...standIns, answers: {} });
      const asks = workflow({ name: 'asks', run: async (ctx) => ctx.approve('Go', { message: 'Go?', choices: ['yes', 'no'] }) });
      const waits = await testWorkflow(asks, { input: {} });
      await waits.killAtEveryCall();
      return [late.output, waits.status, waits.questions];
    `);
    expect(got).toEqual([
      { published: false },
      'waiting',
      [{ key: 'Go', message: 'Go?', choices: ['yes', 'no'] }],
    ]);
  });

  it('retries without delay, asks agents again, and gets failures', () => {
    const got = test(`
      const calls = [];
      const t = await testWorkflow(review, {
        ...standIns,
        agents: { reviewer: ({ key, attempt }) => { calls.push(key + ' ' + attempt); return attempt === 1 ? {} : { risk: 'low' }; } },
        commands: { ...standIns.commands, Publish: ({ argv, key }) => { calls.push(key + ' ' + argv.join(' ')); return { exitCode: 1 }; } },
      });
      return { status: t.status, failure: t.failure, calls };
    `);
    expect(got).toEqual({
      status: 'failed',
      failure: { type: 'exit-code', exitCode: 1 },
      calls: [
        'Review/0/Ask 1',
        'Review/1/Ask 1',
        'Review/0/Ask 2',
        'Review/1/Ask 2',
        ...Array.from({ length: 3 }, () => 'Publish ./publish.sh'),
      ],
    });
  });

  it('names what nothing stands in for', () => {
    const got = test(`return [
      await rejection(() => testWorkflow(review, { ...standIns, commands: {} })),
      await rejection(() => testWorkflow(review, { ...standIns, agents: {} })),
      await rejection(() => testWorkflow(review, { ...standIns, answers: { Release: 'maybe' } })),
    ]`);
    expect(got).toEqual([
      'no result for the command `Changes`: add it to `commands`',
      expect.stringMatching(/^no answer of the agent `reviewer` for `Review\/0\/Ask`: add it to `agents`/),
      '`answers` has `maybe` for `Release`, which is not one of its choices: yes, no',
    ]);
  });

  it('refuses stand-ins that would stand in for nothing, and anything but a workflow', () => {
    const got = test(`
      const wrong = [
        undefined,
        { ...standIns, anwers: {} },
        { ...standIns, agents: { reviewer: 'fine' } },
        { ...standIns, agents: { reviewer: () => undefined } },
        { ...standIns, agents: { reviewer: () => ({ at: new Date() }) } },
        { ...standIns, commands: { Changes: { line: [] } } },
      ];
      const limitless = workflow({ name: 'limitless', budget: { dollars: 5 }, agents: { a: { modle: 'x' } }, keep: 'no', run: async () => 1 });
      return [
        ...(await Promise.all(wrong.map((each) => rejection(() => testWorkflow(review, each))))),
        await rejection(() => testWorkflow({ name: 'plain' }, standIns)),
        await rejection(() => testWorkflow(limitless, standIns)),
        await rejection(() => createOrchestrator({ workspace: '.' }).start({ name: 'plain' }, {})),
      ];
    `);
    const noWorkflow = expect.stringContaining(
      'this is not a workflow: make one with `workflow({ name, run })`',
    );
    expect(got).toEqual([
      'testWorkflow needs options with an `input`: `{ input: {} }`',
      'unknown option of testWorkflow: `anwers`; valid: input, agents, commands, answers, files',
      '`agents.reviewer` must be a function: `({ prompt }) => answer`',
      expect.stringContaining('the answer of the agent `reviewer` for `Review/0/Ask`: undefined is not JSON'),
      expect.stringContaining(
        'the answer of the agent `reviewer` for `Review/0/Ask`: `.at` is a Date, which is not JSON',
      ),
      'the result of the command `Changes` has the unknown key `line`; valid: exitCode, stdout, lines, json',
      noWorkflow,
      expect.stringMatching(
        /unknown key `modle` in agent `a`; did you mean `model`\?[\s\S]*unknown key `dollars` in `budget`; valid keys: usd, tokens, minutes[\s\S]*`keep` must be 'always' or 'never'/,
      ),
      noWorkflow,
    ]);
  });

  it('really runs commands if asked to, in a folder of its own', () => {
    const got = test(`
      const real = workflow({ name: 'real', async run(ctx) {
        const { stdout } = await ctx.command('Read', ['cat', 'notes/a.txt']);
        await ctx.write('Write', 'copy.txt', stdout);
        return ctx.read('Again', 'copy.txt');
      } });
      const t = await testWorkflow(real, { input: {}, commands: true, files: { 'notes/a.txt': 'hello\\n' } });
      return [t.output, t.folder !== process.cwd()];
    `);
    expect(got).toEqual(['hello', true]);
  });

  it('is called as often as tests need it: the process gets no more listeners, and nothing is printed', () => {
    const got = test(`
      const say = workflow({ name: 'say', run: (ctx) => ctx.do('Say', () => 1) });
      await testWorkflow(say, { input: {} });
      const once = process.listenerCount('exit');
      for (let tested = 0; tested < 12; tested += 1) await testWorkflow(say, { input: {} });
      return process.listenerCount('exit') - once;
    `);
    expect(got).toBe(0);
  });

  it('finds a workflow that gives another result after a kill, or other calls in a replay', () => {
    const [killed, replayed] = test<readonly string[]>(`
      let made = 0;
      const drifts = workflow({ name: 'drifts', async run(ctx) {
        made += 1;
        await ctx.do('First', () => 1);
        return { made };
      } });
      const t = await testWorkflow(drifts, { input: {} });
      let asked = 0;
      const wanders = workflow({ name: 'wanders', run: async (ctx) => { asked += 1; return ctx.command('Say', ['echo', String(asked)]).then(() => 1); } });
      const w = await testWorkflow(wanders, { input: {}, commands: { Say: {} } });
      return [await rejection(t.killAtEveryCall), await rejection(w.replay)];
    `);
    expect(killed).toMatch(
      /^killed after record 1 \(run-started\), it ended differently\n {2}- .*"made":1.*\n {2}\+ .*"made":\d/,
    );
    expect(replayed).toMatch(/^the replay of `wanders` differs\n {2}.*Say/);
  });
});
