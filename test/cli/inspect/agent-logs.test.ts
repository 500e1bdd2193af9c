/** `logs` of an agent: its stream as `--verbose` shows it. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ADAPTERS } from '../../../src/agents/adapters/all.ts';
import { createEventStream } from '../../../src/agents/read-events.ts';
import { createToolDisplay } from '../../../src/agents/tool-display.ts';
import type { AgentName } from '../../../src/model/agent.ts';
import type { StepKey } from '../../../src/model/ids.ts';
import { StepOutput } from '../../../src/report/live/step-output.ts';
import { acquireLock } from '../../../src/store/lock.ts';
import { began, runStarted } from '../../report/events.ts';
import { until, Workspace } from '../../rig/orchestrate.ts';
import { writeRun } from './run-folder.ts';

const TRANSCRIPTS = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../agents/transcripts');
const SAMPLES = fs
  .readdirSync(TRANSCRIPTS)
  .flatMap((version) => {
    const agent = /^(claude|codex|gemini)-/.exec(version)?.[1] as AgentName | undefined;
    if (agent === undefined) return [];
    const names = fs.readdirSync(path.join(TRANSCRIPTS, version));
    return names
      .filter((name) => /^(tools|interrupted|at-capacity)\.jsonl$/.test(name))
      .map((name) => ({ agent, file: path.join(version, name) }));
  })
  .sort((a, b) => (a.file < b.file ? -1 : 1));

/** A run whose step `Ask` is an agent with this stream. */
function agentRun(workspace: Workspace, agent: AgentName, stream: string) {
  const input = { agent: { type: 'builtin', adapter: agent } };
  const paths = writeRun(workspace.folder, [runStarted(), began('Ask', 0, { effect: 'run-agent', input })]);
  fs.writeFileSync(path.join(paths.logs, 'Ask.stdout'), stream);
  return paths;
}

/** What `run --verbose` prints for the stream, without the name of the step. */
function verbose(agent: AgentName, stream: string): string {
  const output = new StepOutput(createToolDisplay());
  const events = createEventStream(ADAPTERS[agent].createReader(), { wholeToolResults: true });
  const key = 'Ask' as StepKey;
  const lines = [...events.push(Buffer.from(stream)), ...events.end()].flatMap((event) =>
    output.linesFor({ type: 'progress', at: '', key, progress: { type: 'agent', event } }),
  );
  return [...lines, ...output.flush(key)].map((line) => `${line.replace(/^ {2}Ask │ /, '')}\n`).join('');
}

describe('logs of an agent', () => {
  it.each(SAMPLES)(
    'are shown as `--verbose` shows them, and unchanged with `--raw`: $file',
    async ({ agent, file }) => {
      const stream = fs.readFileSync(path.join(TRANSCRIPTS, file), 'utf8');
      const workspace = new Workspace();
      agentRun(workspace, agent, stream);
      const shown = await workspace.run(['logs', 'last', 'Ask']);
      const expected = verbose(agent, stream);
      expect(shown).toMatchObject({ exitCode: 0, stdout: expected });
      if (file.endsWith('tools.jsonl')) expect(shown.stdout).toMatch(/✓/);
      expect(await workspace.run(['logs', 'last', 'Ask', '--raw'])).toMatchObject({
        stdout: stream,
        stderr: '',
      });
    },
  );

  it('are followed: a line is shown when it is complete, also of a step that starts meanwhile', async () => {
    const workspace = new Workspace({
      'w.yaml': `providers: {m: {adapter: mock, script: {answer: "hello\\nthere"}}}
steps:
  - {name: Wait, command: [bash, -c, "echo waiting; until [ -e go ]; do sleep 0.02; done"]}
  - {name: Ask, provider: m, input_file: p.md}
`,
      'p.md': 'say hello',
    });
    const run = workspace.run(['run', 'w.yaml', '-q']);
    await until(() => workspace.runs().length === 1 && workspace.journal().length > 2);
    const followed = workspace.start(['logs', 'last', '-f']);
    let seen = '';
    followed.child.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
    });
    await until(() => seen.includes('waiting'));
    workspace.write({ go: '' });
    await run;
    expect((await followed.ended).stdout).toBe(
      '==> Wait.stdout <==\nwaiting\n==> Ask.stdout <==\nhello\nthere\n',
    );
  });

  it('do not lose a line that is written in two pieces', async () => {
    const workspace = new Workspace();
    const line = JSON.stringify({ type: 'text', text: 'one\ntwo', delta: false });
    const paths = agentRun(workspace, 'mock', line.slice(0, 10));
    const lock = acquireLock(paths.lock);
    if (lock.type === 'error') throw new Error('held');
    const followed = workspace.start(['logs', 'last', 'Ask', '-f']);
    let seen = '';
    followed.child.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
    });
    fs.appendFileSync(path.join(paths.logs, 'Ask.stdout'), `${line.slice(10)}\n`);
    await until(() => seen === 'one\ntwo\n');
    fs.appendFileSync(path.join(paths.logs, 'Ask.stdout'), line);
    lock.value.release();
    expect(await followed.ended).toMatchObject({ exitCode: 0, stdout: 'one\ntwo\none\ntwo\n' });
  });

  it('say if there is nothing to show', async () => {
    const workspace = new Workspace();
    agentRun(workspace, 'claude', 'Segmentation fault\n');
    expect(await workspace.run(['logs', 'last', 'Ask'])).toMatchObject({
      stdout: '',
      stderr: 'note: nothing to show in Ask.stdout; use `--raw` to print it\n',
    });
  });
});
