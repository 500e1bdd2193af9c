/**
 * A night, end to end, with the real Claude Code and a scripted model: three loops from the queue, two of them side by side in worktrees,
 * a usage limit, a hang, a kill, a reboot after which the keeper continues, a question, a false claim of completion, a rollback, and the
 * report of the morning.
 */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { durationText } from '../../src/model/amounts.ts';
import type { JournalEvent } from '../../src/model/event.ts';
import type { LoopReport } from '../../src/model/loop-report.ts';
import { CLAUDE_325, cleanEnvironment } from '../real-clis/clis.ts';
import { installClis } from '../real-clis/install.ts';
import { type ModelServer, startModelServer, type Turn } from '../rig/model-server/server.ts';
import { until } from '../rig/orchestrate.ts';
import { PASS, Project } from './rig.ts';

const cli = CLAUDE_325;
const LIMIT_SECONDS = 8;
const WORKSPACES = 'claude-iterate/workspaces';

beforeAll(() => installClis(), 15 * 60_000);

interface Status {
  readonly complete: boolean;
  readonly progress?: { readonly completed: number; readonly total: number };
  readonly summary?: string;
  readonly blockers?: readonly object[];
}

class Night {
  readonly project = new Project({ 'README.md': 'A project.\n' });
  readonly #home = path.join(this.project.elsewhere, 'home');
  readonly env: { readonly [name: string]: string };

  constructor() {
    fs.mkdirSync(this.#home);
    this.project.repository();
    const settled = cli.settle({ home: this.#home, url: 'http://127.0.0.1:9', plan: true });
    this.env = { ...cleanEnvironment(this.#home), ...settled, PATH: this.project.path };
  }

  /** A loop in the queue whose agent asks a model of its own. */
  async loop(name: string, turns: readonly Turn[], flags: readonly string[]): Promise<ModelServer> {
    const server = await startModelServer(turns);
    onTestFinished(() => server.close());
    const wrapper = path.join(this.project.elsewhere, `claude-${name}`);
    const words = cli.command().map((word) => `'${word}'`);
    fs.writeFileSync(wrapper, `#!/bin/sh\nANTHROPIC_BASE_URL=${server.url} exec ${words.join(' ')} "$@"\n`, {
      mode: 0o755,
    });
    await this.ok('init', name);
    this.project.write({ [`${WORKSPACES}/${name}/INSTRUCTIONS.md`]: `Do your part: ${name}.\n` });
    await this.ok('config', '-w', name, 'claude.command', wrapper);
    await this.ok('config', '-w', name, 'retry.delaysSec', '[0]');
    await this.ok('queue', 'add', name, '--no-delay', '--dangerously-skip-permissions', ...flags);
    return server;
  }

  async ok(...argv: readonly string[]): Promise<string> {
    const ended = await this.project.iterate(argv, { env: this.env });
    expect(ended.exitCode, ended.stderr).toBe(0);
    return ended.stdout;
  }

  /** The agent's turn: a shell command in the folder it works in, then its status, then its last words. */
  turn(name: string, command: string, status: Status): readonly Turn[] {
    const file = path.join(this.project.folder, WORKSPACES, name, '.status.json');
    return [
      cli.tools.shell(`${command}; printf '%s' '${JSON.stringify(status)}' > ${file}`),
      { type: 'text', text: status.summary ?? 'Done.' },
    ];
  }

  pid(name: string): number {
    return JSON.parse(this.project.read(`${WORKSPACES}/${name}/.lock`)).pid;
  }

  journal(name: string): readonly JournalEvent[] {
    const run = this.project.metadata(name).run?.id ?? '';
    const text = this.project.read(`.orchestrate/runs/${run}/journal.jsonl`).trim();
    return text.split('\n').map((line) => JSON.parse(line));
  }

  at(name: string, key: string): string {
    const ended = this.journal(name).find((event) => event.type === 'step-ended' && event.key === key);
    return ended?.at ?? `no ${key} in ${name}`;
  }
}

function killWithChildren(pid: number): void {
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = fs.existsSync(file)
    ? fs.readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number)
    : [];
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
  for (const child of children) killWithChildren(child);
}

/** The plan's limit, with the time of its end, from the first request on. */
function limit(): Turn {
  let resetsAt: number | undefined;
  return {
    type: 'error',
    status: 429,
    kind: 'rate_limit_error',
    message: 'limited',
    get headers() {
      resetsAt ??= Math.ceil(Date.now() / 1000) + LIMIT_SECONDS;
      return {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': String(resetsAt),
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      };
    },
    until: () => resetsAt !== undefined && Date.now() >= resetsAt * 1000,
  };
}

it('a night of three loops ends with their work, and a report that is true', {
  timeout: 300_000,
}, async () => {
  const night = new Night();
  const { project } = night;
  const of2 = (completed: number): NonNullable<Status['progress']> => ({ completed, total: 2 });

  await night.loop(
    'docs',
    [
      ...night.turn('docs', 'echo 1 > docs-1.md', {
        complete: false,
        progress: of2(1),
        summary: 'First page',
      }),
      limit(),
      { type: 'hang' },
      ...night.turn('docs', 'echo 2 > docs-2.md', {
        complete: true,
        progress: of2(2),
        summary: 'Second page',
      }),
      { type: 'text', text: PASS },
    ],
    ['--worktree', '--checkpoint', '--verify'],
  );
  await night.ok('config', '-w', 'docs', 'idleTimeoutMin', '0.25');
  await night.loop(
    'code',
    [
      ...night.turn('code', 'true', {
        complete: false,
        summary: 'Which colour?',
        blockers: [{ question: 'Which colour?', choices: ['blue', 'red'] }],
      }),
      ...night.turn('code', 'true', { complete: true, summary: 'Painted, I believe' }),
      ...night.turn('code', 'echo blue > code.txt', { complete: true, summary: 'Really painted' }),
    ],
    ['--worktree', '--branch', 'night/code', '--no-verify', '--check', 'grep -q blue code.txt'],
  );
  const fix = await night.loop(
    'fix',
    [
      { type: 'hang' },
      ...night.turn('fix', 'echo 1 > fix-1.txt', { complete: false, progress: of2(1), summary: 'Fixed one' }),
      { type: 'hang' },
      ...night.turn('fix', 'echo 2 > fix-2.txt', { complete: true, progress: of2(2), summary: 'Fixed two' }),
    ],
    ['--checkpoint', '--no-verify'],
  );

  const evening = project.begin(['queue', 'run', '--max-parallel', '2'], { env: night.env });
  await fix.requested(1);
  process.kill(night.pid('fix'), 'SIGKILL');
  await fix.requested(4);
  await until(() => project.metadata('docs').status === 'completed');
  await until(() => project.metadata('code').stopReason === 'waiting');

  // The reboot.
  const loop = night.pid('fix');
  killWithChildren(evening.child.pid ?? 0);
  killWithChildren(loop);
  await evening.ended;
  const [asked = ''] = project.runs().filter((run) => run === project.metadata('code').run?.id);
  const answered = await project.run(['approve', asked, 'question-1', '--choose', 'blue'], {
    env: night.env,
  });
  expect(answered.exitCode).toBe(0);
  const reports = (): readonly string[] =>
    project.list('claude-iterate/reports').filter((name) => name.endsWith('.json'));
  const keeper = project.start(['keep'], { env: night.env });
  await until(() => reports().length === 1);
  keeper.child.kill('SIGINT');
  const kept = await keeper.ended;
  expect(kept.stderr).toContain(' continued the queue of loops: its process died\n');
  for (const name of ['docs', 'code', 'fix'])
    expect(project.metadata(name)).toMatchObject({ status: 'completed', stopReason: 'complete' });

  // The work: docs is brought back, code is on its branch, fix has its commits.
  for (const file of ['docs-1.md', 'docs-2.md', 'fix-1.txt', 'fix-2.txt'])
    expect(project.has(file)).toBe(true);
  expect(project.has('code.txt')).toBe(false);
  expect(project.git('show', 'night/code:code.txt')).toBe('blue\n');
  expect(project.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(night.at('docs', 'run@worktree') < night.at('code', 'end@discard')).toBe(true);
  expect(night.at('code', 'run@worktree') < night.at('docs', 'end@discard')).toBe(true);
  const limited = night.journal('docs').filter((event) => event.type === 'attempt-ended' && !event.counted);
  expect(limited).toMatchObject([
    { failure: { outcome: { type: 'rate-limited', resetsAt: expect.any(String) } } },
  ]);
  const hung = night.journal('docs').filter((event) => event.type === 'attempt-ended' && event.counted);
  expect(hung).toMatchObject([{ failure: { type: 'agent', outcome: { type: 'idle' } } }]);

  const file = `claude-iterate/reports/${reports()[0]?.replace(/\.json$/, '')}`;
  const { loops } = JSON.parse(project.read(`${file}.json`)) as { readonly loops: readonly LoopReport[] };
  expect(loops.map(({ name }) => name).sort()).toEqual(['code', 'docs', 'fix']);
  for (const report of loops) checkAgainstJournal(report, night.journal(report.name));
  const find = (name: string): LoopReport | undefined => loops.find((each) => each.name === name);
  expect(find('docs')).toMatchObject({
    proof: { type: 'verified' },
    totals: { iterations: 2, files_changed: 2 },
  });
  expect(find('docs')?.totals.waited_ms).toBeGreaterThan(0);
  expect(find('code')).toMatchObject({
    proof: { type: 'checked', false_claims: 1 },
    totals: { iterations: 3, files_changed: 1 },
    questions: [{ question: 'Which colour?', answer: 'blue' }],
  });
  expect(find('fix')).toMatchObject({
    proof: { type: 'claimed' },
    totals: { iterations: 2, lost_calls: 2 },
    resumed: 2,
  });
  const markdown = project.read(`${file}.md`);
  for (const { name, totals } of loops) {
    const row = markdown.split('\n').find((line) => line.startsWith(`| ${name} |`));
    const unknown = unknownCalls(totals.unknown_cost_calls, 'cost');
    const lost = totals.lost_calls === 0 ? '' : `, ${totals.lost_calls} interrupted`;
    const cost = `$${totals.cost_usd.toFixed(4)}${unknown} (${totals.agent_calls} agent calls${lost})`;
    const unused = unknownCalls(totals.unknown_token_calls, 'use');
    const tokens = `${totals.tokens.input} in, ${totals.tokens.output} out${unused}`;
    const waited =
      totals.waited_ms === 0 ? '' : ` + ${durationText(totals.waited_ms)} waiting for a usage limit`;
    const time = `${durationText(totals.worked_ms)}${waited}`;
    expect(row).toContain(
      `| ${totals.iterations} | ${totals.files_changed} | ${cost} | ${tokens} | ${time} | `,
    );
    const page = project.read(`${file}.html`);
    for (const figure of [cost, tokens, time]) expect(page).toContain(`>${figure}</td>`);
  }
  expect(project.read(`${file}.html`)).toContain('<td>Total</td>');
  expect(find('code')?.work).toBe('The work is on branch night/code');

  const back = await night.ok('rollback', 'fix', '1');
  expect(back).toMatch(/^✓ fix is back at the end of iteration 1 \(1 file changed, commit /);
  expect([project.has('fix-1.txt'), project.has('fix-2.txt'), project.has('docs-2.md')]).toEqual([
    true,
    false,
    true,
  ]);
});

/** Adds up the journal in another way than the program does. */
function checkAgainstJournal(
  { totals, name, iterations }: LoopReport,
  journal: readonly JournalEvent[],
): void {
  const ended = journal.filter((event) => event.type === 'step-ended');
  const spent = [
    ...ended.map((event) => (event.output as { spent?: Spending } | undefined)?.spent),
    ...journal.map((event) =>
      event.type === 'attempt-ended' ? (event.spent as Spending | undefined) : undefined,
    ),
  ].filter((each) => each !== undefined);
  const sum = (of: (each: Spending) => number): number => spent.reduce((total, each) => total + of(each), 0);
  const files = new Set(
    ended
      .filter(({ key }) => key.endsWith('@after'))
      .flatMap(({ output }) => (output as { files?: readonly { path: string }[] }).files ?? [])
      .map((each) => each.path),
  );
  const counted = ended.filter(({ key }) => /^iteration\/\d+@metadata$/.test(key));
  const lost = journal.filter(
    (event) => event.type === 'step-started' && event.again === 'repeated' && event.effect === 'run-agent',
  ).length;
  expect({ name, ...totals }).toMatchObject({
    name,
    iterations: counted.length,
    files_changed: files.size,
    agent_calls: spent.length + lost,
    unknown_cost_calls: spent.filter(({ costUsd }) => costUsd === null).length + lost,
    unknown_token_calls: spent.filter(({ usage }) => usage === undefined).length + lost,
    lost_calls: lost,
    tokens: {
      input: sum(({ usage }) => usage?.inputTokens ?? 0),
      output: sum(({ usage }) => usage?.outputTokens ?? 0),
    },
  });
  expect(totals.cost_usd).toBeCloseTo(
    sum(({ costUsd }) => costUsd ?? 0),
    10,
  );
  expect(times(journal)).toEqual({ worked: totals.worked_ms, waited: totals.waited_ms });
  for (const figure of ['worked_ms', 'waited_ms', 'agent_calls', 'lost_calls'] as const)
    expect(iterations.reduce((total, each) => total + each[figure], 0)).toBe(totals[figure]);
  const checks = ended.filter(({ key }) => /\/check-\d+$/.test(key));
  expect(iterations.flatMap((each) => each.checks)).toHaveLength(checks.length);
}

/** Agents and checks work from each start to its end; a limit is waited for from the end of one attempt to the start of the next. */
function times(journal: readonly JournalEvent[]): { readonly worked: number; readonly waited: number } {
  let [worked, waited] = [0, 0];
  const isWork = /^(?:iteration|verification)\/\d+(?:\/check-\d+)?$/;
  journal.forEach((event, at) => {
    if (event.type !== 'step-ended' && event.type !== 'attempt-ended') return;
    if (!isWork.test(event.key)) return;
    const began = journal
      .slice(0, at)
      .findLast((each) => each.type === 'step-started' && each.key === event.key);
    worked += Date.parse(event.at) - Date.parse(began?.at ?? event.at);
    if (event.type === 'step-ended' || event.counted) return;
    const next = journal.slice(at).find((each) => each.type === 'step-started' && each.key === event.key);
    waited += Date.parse(next?.at ?? event.at) - Date.parse(event.at);
  });
  return { worked, waited };
}

function unknownCalls(calls: number, what: string): string {
  return calls === 0 ? '' : ` + ${calls} call${calls === 1 ? '' : 's'} of unknown ${what}`;
}

interface Spending {
  readonly costUsd: number | null;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
}
