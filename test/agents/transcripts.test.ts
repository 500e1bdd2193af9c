import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ADAPTERS } from '../../src/agents/adapters/all.ts';
import { type AgentExit, classify } from '../../src/agents/classify.ts';
import { createEventStream } from '../../src/agents/read-events.ts';
import { type AgentSummary, createSummary } from '../../src/agents/summary.ts';
import type { AgentEvent } from '../../src/model/agent.ts';
import { CLIS, type Cli } from '../real-clis/clis.ts';
import { SCENARIOS, type Scenario } from '../real-clis/scenarios.ts';

/** Streams of the real CLIs, recorded against a scripted model; see `test/real-clis/refresh-transcripts.js`. */
const folder = join(import.meta.dirname, 'transcripts');

interface Read {
  readonly events: readonly AgentEvent[];
  readonly summary: AgentSummary;
}

function read(cli: Cli, bytes: Buffer, chunkBytes: number): Read {
  const stream = createEventStream(ADAPTERS[cli.name].createReader());
  const events: AgentEvent[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes)
    events.push(...stream.push(bytes.subarray(at, at + chunkBytes)));
  events.push(...stream.end());
  const fold = createSummary();
  for (const event of events) fold.add(event);
  return { events, summary: fold.summary() };
}

function transcript(cli: Cli, scenario: string): { readonly bytes: Buffer; readonly exit: AgentExit } {
  const stem = join(folder, cli.label, scenario);
  const exit = JSON.parse(fs.readFileSync(`${stem}.exit.json`, 'utf8')) as AgentExit & {
    signal: string | null;
  };
  const { signal, ...rest } = exit;
  return { bytes: fs.readFileSync(`${stem}.jsonl`), exit: signal === null ? rest : { ...rest, signal } };
}

function judged(
  cli: Cli,
  scenario: Scenario,
): { readonly outcome: ReturnType<typeof classify>; readonly read: Read } {
  const { bytes, exit } = transcript(cli, scenario.name);
  const whole = read(cli, bytes, bytes.length || 1);
  const outcome = classify({
    adapter: ADAPTERS[cli.name],
    summary: whole.summary,
    exit,
    schemaAsked: scenario.request?.jsonSchema !== undefined,
  });
  return { outcome, read: whole };
}

function scenariosOf(cli: Cli): readonly Scenario[] {
  return SCENARIOS.filter(
    (scenario) =>
      (scenario.only === undefined || scenario.only.includes(cli.name)) &&
      (scenario.version === undefined || scenario.version === cli.version),
  );
}

for (const cli of CLIS) {
  describe(`${cli.name} ${cli.version}`, () => {
    it.each(scenariosOf(cli).map((scenario) => [scenario.name, scenario] as const))(
      '%s has the expected outcome',
      (_name, scenario) => {
        const { outcome } = judged(cli, scenario);
        expect(outcome, JSON.stringify(outcome)).toMatchObject({ type: scenario.outcome, ...scenario.told });
      },
    );

    it.each(scenariosOf(cli).map((scenario) => scenario.name))('%s becomes common events', async (name) => {
      const { events } = read(cli, transcript(cli, name).bytes, 1 << 20);
      const text = `${events.map((event) => JSON.stringify(event)).join('\n')}\n`;
      await expect(text).toMatchFileSnapshot(join(folder, cli.label, `${name}.events.jsonl`));
    });

    it.each([1, 7, 4096])('reads the same events from chunks of %i bytes', (chunkBytes) => {
      const { bytes } = transcript(cli, 'tools');
      expect(read(cli, bytes, chunkBytes).events).toEqual(read(cli, bytes, bytes.length).events);
    });
  });
}

/** Handwritten in the CLIs' formats, for cases that a scripted model cannot produce. */
describe('handwritten streams', () => {
  const made: readonly (readonly [string, Cli['name'], number, object])[] = [
    ['claude-limit-warning', 'claude', 0, { type: 'done' }],
    ['claude-no-money', 'claude', 1, { type: 'over-budget', message: 'Credit balance is too low' }],
    ['claude-schema-never-matched', 'claude', 1, { type: 'done' }],
    ['claude-limit-after-work', 'claude', 1, { type: 'rate-limited', resetsAt: '2026-11-16T00:46:40.000Z' }],
    ['claude-unknown-end', 'claude', 0, { type: 'crashed', message: 'it stopped with `brand_new_reason`' }],
    ['claude-without-reason', 'claude', 0, { type: 'done' }],
    ['claude-hook-without-words', 'claude', 0, { type: 'denied', by: 'hook', message: '' }],
    ['gemini-key-not-valid', 'gemini', 144, { type: 'auth' }],
    ['codex-reconnected', 'codex', 0, { type: 'done' }],
    ['codex-never-finished', 'codex', 0, { type: 'crashed' }],
  ];
  it.each(made)('%s', (name, agent, exitCode, outcome) => {
    const cli = CLIS.find((one) => one.name === agent) as Cli;
    const { summary } = read(cli, fs.readFileSync(join(folder, 'made', `${name}.jsonl`)), 100);
    const exit = { exitCode, stderrTail: '' };
    const schemaAsked = name.includes('schema');
    expect(classify({ adapter: ADAPTERS[agent], summary, exit, schemaAsked })).toMatchObject(outcome);
  });
});

describe('other facts in the streams', () => {
  const named = (cli: Cli, name: string): Read => {
    const { bytes } = transcript(cli, name);
    return read(cli, bytes, bytes.length);
  };
  const [claude325, claude197, gemini, codex] = CLIS as readonly [Cli, Cli, Cli, Cli];
  const scenario = (name: string): Scenario => SCENARIOS.find((one) => one.name === name) as Scenario;

  it.each([claude325, claude197])('$label: the outcome contains the end of a limit', (cli) => {
    expect(judged(cli, scenario('rate-limited')).outcome).toMatchObject({
      resetsAt: '2026-11-16T00:46:40.000Z',
    });
  });

  it.each([
    [claude325, 0.0008],
    [claude197, 0.001],
  ] as const)('$label: a continued conversation costs what its own call cost', (cli, costUsd) => {
    expect(named(cli, 'continued').summary.result).toMatchObject({
      costUsd,
      usage: { inputTokens: 100, outputTokens: 20 },
      text: 'Second.',
    });
  });

  it.each([claude325, claude197])('$label: a turn stopped by the budget is counted', (cli) => {
    const { result } = named(cli, 'over-budget').summary;
    expect(result?.usage).toMatchObject({ inputTokens: 100, outputTokens: 20 });
    expect(result?.costUsd).toBeGreaterThan(0);
  });

  it('gemini and codex do not report their cost, which is unknown, not 0', () => {
    expect(named(gemini, 'plain-answer').summary.result?.costUsd).toBeNull();
    expect(named(codex, 'plain-answer').summary.result?.costUsd).toBeNull();
  });

  it('the last of several results counts, and the cost of all is added', () => {
    const { events, summary } = named(claude325, 'background-subagent');
    const results = events.filter((event) => event.type === 'result');
    expect(results.length).toBeGreaterThan(1);
    expect(summary.result).toEqual(results.at(-1)?.result);
  });

  it.each([claude325, claude197, gemini, codex])('$label: the final answer is its last text', (cli) => {
    expect(named(cli, 'tools').summary.result?.text).toBe(
      'Written. Beware: rate limit, error 429, overloaded.',
    );
  });
});
