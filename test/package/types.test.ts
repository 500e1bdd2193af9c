/** What TypeScript says about workflows in a project that has the package installed. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { installedPackage } from '../rig/installed-package.ts';

const MODULES = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'node_modules');
const CONFIG = {
  compilerOptions: {
    ...{ target: 'es2023', module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2023', 'dom'] },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ noEmit: true, skipLibCheck: false, types: [], allowImportingTsExtensions: true },
  },
};

const REVIEW = `
import { effect, StepFailed, workflow } from 'orchestrate-run';
import { z } from 'zod';

const Verdict = z.object({ verdict: z.enum(['ship', 'fix']), risk: z.enum(['low', 'high']) });

export const openPr = effect({
  name: 'open-pr',
  input: z.object({ title: z.string() }),
  output: z.object({ url: z.string() }),
  run: async ({ title }, { idempotencyKey }) => ({ url: title + idempotencyKey }),
});

export default workflow({
  name: 'review',
  input: z.object({ base: z.string().default('main') }),
  output: z.object({ published: z.boolean() }),
  agents: { reviewer: { adapter: 'claude', model: 'opus' } },
  budget: { usd: 5 },
  async run(ctx, input) {
    const { lines: files } = await ctx.command('Changes', ['git', 'diff', '--name-only', input.base], { capture: 'lines' });
    const verdicts = await ctx.each('Review', files, async (ctx, file) => {
      const { data } = await ctx.agent('Ask', { agent: 'reviewer', prompt: \`Review \${file}\`, schema: Verdict, expect: { reask: 1 } });
      return { file, ...data };
    }, { limit: 3 });
    const risky = verdicts.filter((v) => v.risk === 'high');
    if (risky.length > 0) {
      const go = await ctx.approve('Release', { message: 'Release?', choices: ['yes', 'no'], within: '3d', default: 'no' });
      if (go === 'no') return { published: false };
    }
    const { a, b } = await ctx.all('Both', { a: async () => 1, b: async (ctx) => ctx.now('Now') });
    const { url } = await ctx.do('Pr', openPr, { title: b + a });
    try {
      await ctx.command('Publish', ['./publish.sh', url], { retries: 2, secrets: ['NPM_TOKEN'] });
    } catch (problem) {
      if (problem instanceof StepFailed && problem.failure.type === 'exit-code') return { published: false };
      throw problem;
    }
    return { published: true };
  },
});
`;

const VALIBOT = `
import { workflow } from 'orchestrate-run';
import * as v from 'valibot';
import review from './review.workflow.ts';

export default workflow({
  name: 'outer',
  input: v.object({ count: v.number() }),
  async run(ctx, { count }) {
    const counted: number = await ctx.do('Count', () => count + 1);
    const { published } = await ctx.call('Inner', review, { base: 'main' });
    const yes: boolean = published;
    return { counted, yes };
  },
});
`;

const EMBEDDING = `
import { createOrchestrator, OrchestrateError, type RunEnd } from 'orchestrate-run';
import { testWorkflow } from 'orchestrate-run/testing';
import review from './review.workflow.ts';

const orchestrator = createOrchestrator({ workflows: [review], onEvent: (id, event) => console.log(id.length, event.type) });
const run = await orchestrator.start(review, { base: 'main' });
for await (const event of run.events)
  if (event.type === 'question-asked') await run.approve(event.key, 'yes', { by: 'ci' });
const end: RunEnd<{ published: boolean }> = await run.done;
if (end.status === 'failed') console.log(end.failure.type);
const file = await orchestrator.start('build.yaml', { target: 'prod' });
try { await orchestrator.resume(file.id, { asStarted: true }); } catch (problem) {
  if (problem instanceof OrchestrateError) console.log(problem.kind, problem.help);
}
const t = await testWorkflow(review, {
  input: {},
  agents: { reviewer: ({ prompt }) => ({ verdict: 'ship', risk: prompt.includes('auth') ? 'high' : 'low' }) },
  commands: { Changes: { lines: ['a.ts'] }, Publish: ({ argv }) => ({ exitCode: argv.length }) },
  answers: { Release: 'yes' },
});
const published: boolean | undefined = t.output?.published;
console.log(published);
await t.killAtEveryCall();
`;

/** Each line is wrong; the error that is expected is on the same line. */
const WRONG = `
import { createOrchestrator, workflow } from 'orchestrate-run';
import { testWorkflow } from 'orchestrate-run/testing';
import { z } from 'zod';
import review from './review.workflow.ts';

workflow({
  name: 'wrong',
  input: z.object({ base: z.string() }),
  async run(ctx, input) {
    input.branch; // TS2339
    await ctx.command('A', 'git diff'); // TS2345
    await ctx.do('B', () => new Date()); // TS2322
    await ctx.do('C', () => new Map([[1, 2]])); // TS2322
    await ctx.call('D', review, { base: 7 }); // TS2769
    const { lines } = await ctx.call('E', review, {}); // TS2339
    const go = await ctx.approve('F', { message: '?', choices: ['yes', 'no'] });
    if (go === 'maybe') return {}; // TS2367
    await ctx.approve('G', { message: '?', choices: ['yes', 'no'], default: 'maybe' }); // TS2322
    const { data } = await ctx.agent('H', { agent: 'claude', prompt: '?', schema: z.object({ ok: z.boolean() }) });
    data.risk; // TS2339
    await ctx.sleep('I', 'ten minutes'); // TS2345
    return {};
  },
});
workflow({ name: 'output', output: z.object({ n: z.number() }), run: async () => ({ n: 'seven' }) }); // TS2769
workflow({ name: 'not JSON', run: async () => ({ at: new Date() }) }); // TS2769
workflow({ run: async () => 1 }); // TS2769
await createOrchestrator().start(review, { base: 7 }); // TS2769
await testWorkflow(review, { input: { base: 7 } }); // TS2322
(await testWorkflow(review, { input: {} })).output?.publish; // TS2551
`;

const installed = installedPackage();

describe('in a project with the package, tsc with NodeNext and strict', () => {
  beforeAll(() => {
    for (const name of ['zod', 'valibot']) {
      const link = path.join(installed.prefix, 'node_modules', name);
      fs.symlinkSync(path.join(MODULES, name), link);
    }
    const manifest = path.join(installed.prefix, 'package.json');
    fs.writeFileSync(
      manifest,
      JSON.stringify({ ...JSON.parse(fs.readFileSync(manifest, 'utf8')), type: 'module' }),
    );
  });

  /** `file(line): code` of each error. */
  function errorsIn(files: { readonly [name: string]: string }): readonly string[] {
    const folder = fs.mkdtempSync(path.join(installed.prefix, 'project-'));
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
    fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
    const ran = spawnSync(path.join(MODULES, '.bin', 'tsc'), ['-p', '.', '--pretty', 'false'], {
      ...{ cwd: folder, encoding: 'utf8' },
    });
    const lines = ran.stdout.split('\n').filter((line) => /^\S.*error TS/.test(line));
    expect(ran.status === 0).toBe(lines.length === 0);
    return lines.map((line) => line.replace(/^(\S+)\((\d+),\d+\): error (TS\d+):.*$/, '$1:$2 $3'));
  }

  it('finds nothing wrong with correct workflows, whatever library their schemas are from', () => {
    const files = { 'review.workflow.ts': REVIEW, 'outer.workflow.ts': VALIBOT, 'embedding.ts': EMBEDDING };
    expect(errorsIn(files)).toEqual([]);
  });

  it('finds wrong inputs, outputs, choices, calls, and results that are not JSON', () => {
    const expected = WRONG.split('\n').flatMap((line, index) => {
      const code = /\/\/ (TS\d+)$/.exec(line)?.[1];
      return code === undefined ? [] : [`wrong.ts:${index + 1} ${code}`];
    });
    expect(errorsIn({ 'review.workflow.ts': REVIEW, 'wrong.ts': WRONG })).toEqual(expected);
    expect(expected.length).toBeGreaterThan(10);
  });
});
