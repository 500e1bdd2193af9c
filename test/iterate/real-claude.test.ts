/** The loop with the real Claude Code CLI: real binary, real tools, scripted model. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CLAUDE_325, cleanEnvironment } from '../real-clis/clis.ts';
import { installClis } from '../real-clis/install.ts';
import { type ModelServer, startModelServer, type Turn } from '../rig/model-server/server.ts';
import type { Ended } from '../rig/orchestrate.ts';
import { PASS, Project, TASK } from './rig.ts';

const cli = CLAUDE_325;

beforeAll(async () => {
  await installClis();
  process.stdout.write(`real CLI: ${cli.name} ${cli.version} (${cli.command().at(-1)})\n`);
}, 15 * 60_000);

interface Ran {
  readonly project: Project;
  readonly server: ModelServer;
  readonly ended: Ended;
}

interface Site {
  readonly mode?: string;
  /** The agent's own settings. Default: everything is allowed. */
  readonly settings?: { readonly [name: string]: unknown };
  readonly isRepository?: boolean;
}

async function run(
  turns: (folder: string) => readonly Turn[],
  flags: readonly string[],
  { mode = 'loop', settings, isRepository = false }: Site = {},
): Promise<Ran> {
  const project = new Project();
  await project.task(['--mode', mode], 'Write the numbers one to two into files.\n');
  project.write({ '.claude-iterate.json': JSON.stringify({ claude: { command: cli.command()[0] } }) });
  if (isRepository) project.repository();
  const server = await startModelServer(turns(project.folder));
  onTestFinished(() => server.close());
  const home = path.join(project.elsewhere, 'home');
  fs.mkdirSync(home);
  const env = {
    ...cleanEnvironment(home),
    ...cli.settle({ home, url: server.url, ...(settings && { settings }) }),
  };
  const permissions = settings === undefined ? ['--dangerously-skip-permissions'] : [];
  const argv = ['run', 'task', '--trust', '--no-delay', ...permissions, ...flags];
  const ended = await project.iterate(argv, { env: { ...env, PATH: project.path } });
  return { project, server, ended };
}

function writesStatus(folder: string, value: object): Turn {
  return cli.tools.write(path.join(folder, TASK, '.status.json'), JSON.stringify(value));
}

describe(`claude-iterate with ${cli.name} ${cli.version}`, () => {
  it('loops until the task is complete and verified', async () => {
    const { project, server, ended } = await run(
      (folder) => [
        cli.tools.write(path.join(folder, 'one.txt'), '1'),
        writesStatus(folder, { complete: false, progress: { completed: 1, total: 2 }, summary: 'one' }),
        { type: 'text', text: 'The first is written.' },
        cli.tools.shell('echo 2 > two.txt'),
        cli.tools.shell(
          `printf '%s' '{"complete":true,"progress":{"completed":2,"total":2},"summary":"two"}' > ${TASK}/.status.json`,
        ),
        { type: 'text', text: 'Both are written.' },
        cli.tools.shell(`printf '%s' '${PASS.replaceAll('\n', '\\n')}' > /dev/null; cat one.txt two.txt`),
        { type: 'text', text: PASS },
      ],
      ['--verbose', '--check', 'test -f two.txt'],
    );
    expect(ended.stdout).toContain('✓ Task completed successfully after 2 iterations');
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain(`Agent: claude ${cli.version} (Claude Code)\n`);
    expect(ended.stdout).toContain(`🔧 Write tool\n   File: ${path.join(project.folder, 'one.txt')}\n`);
    expect(ended.stdout).toContain('🔧 Bash tool\n   Command: echo 2 > two.txt\n');
    expect(ended.stdout).toContain('The first is written.\n');
    expect(project.read('one.txt')).toBe('1');
    expect(project.read('two.txt')).toBe('2\n');
    expect(project.metadata()).toMatchObject({
      status: 'completed',
      executionIterations: 2,
      verification: { lastVerificationStatus: 'pass' },
    });
    const asked = JSON.stringify(server.requests[0]?.body);
    expect(asked).toContain('Write the numbers one to two into files.');
    expect(asked).toContain('Complete ONE item this iteration');
    expect(project.state().totals).toMatchObject({ agent_calls: 3, unknown_cost_calls: 0 });
    expect(project.state().totals.cost_usd).toBeGreaterThan(0);
  });

  it('works autonomously in iterative mode, and stops on stagnation', async () => {
    const { project, server, ended } = await run(
      (folder) => [
        cli.tools.write(path.join(folder, 'one.txt'), '1'),
        writesStatus(folder, { complete: false, worked: true, summary: 'one' }),
        { type: 'text', text: 'Done what I could.' },
        cli.tools.shell(
          `printf '%s' '{"complete":false,"worked":false,"summary":"stuck"}' > ${TASK}/.status.json`,
        ),
        { type: 'text', text: 'Nothing to do.' },
        { type: 'text', text: 'Nothing to do.' },
      ],
      [],
      { mode: 'iterative' },
    );
    expect(ended.stdout).toContain('⚠️ Stagnation detected: 2 consecutive iterations with no work');
    expect(ended.exitCode).toBe(0);
    expect(JSON.stringify(server.requests[0]?.body)).toContain('complete as much as possible');
    expect(project.metadata()).toMatchObject({
      status: 'completed',
      stopReason: 'stagnation',
      executionIterations: 3,
    });
  });

  const WRITES_ONLY = { permissions: { allow: ['Write'] } };
  const denied =
    "the agent was denied `Bash`; allow it in the agent's own settings, or use `claude-iterate run task --dangerously-skip-permissions`";

  it('continues after a denied tool as long as the agent makes progress', async () => {
    const { project, ended } = await run(
      (folder) => [
        cli.tools.shell('rm -rf build'),
        writesStatus(folder, { complete: false, progress: { completed: 1, total: 2 }, summary: 'one' }),
        { type: 'text', text: 'Without the shell.' },
        cli.tools.shell('rm -rf build'),
        cli.tools.write(path.join(folder, 'two.txt'), '2'),
        { type: 'text', text: 'Without the shell again.' },
        cli.tools.shell('rm -rf build'),
        writesStatus(folder, { complete: true }),
        { type: 'text', text: 'All without the shell.' },
      ],
      ['--no-verify'],
      { settings: WRITES_ONLY },
    );
    for (const iteration of [1, 2, 3]) expect(ended.stderr).toContain(`⚠️ iteration ${iteration}: ${denied}`);
    expect(ended.stdout).toContain('✓ Task completed successfully after 3 iterations');
    expect(ended.exitCode).toBe(0);
    expect(project.log()).toContain(`\nWARNING: ${denied}`);
  });

  it('may write its status from a worktree, with no more permission than to edit files of the project', async () => {
    const { project, ended } = await run(
      (folder) => [
        cli.tools.write('one.txt', '1'),
        writesStatus(folder, { complete: true }),
        { type: 'text', text: 'Done.' },
      ],
      ['--no-verify', '--worktree'],
      { settings: { permissions: { defaultMode: 'acceptEdits' } }, isRepository: true },
    );
    expect(ended.stdout, ended.stderr).toContain('✓ Task completed successfully after 1 iteration');
    expect(ended.stderr).not.toContain('denied');
    expect(project.read('one.txt')).toBe('1');
  });

  it('stops after two consecutive iterations with a denied tool and no progress', async () => {
    const { project, server, ended } = await run(
      () => [
        cli.tools.shell('rm -rf build'),
        { type: 'text', text: 'I may not.' },
        cli.tools.shell('rm -rf build'),
        { type: 'text', text: 'I still may not.' },
      ],
      ['--no-verify'],
      { settings: WRITES_ONLY },
    );
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(`❌ Iteration 2 failed: ${denied}`);
    expect(ended.stderr).toContain('--dangerously-skip-permissions');
    expect(project.metadata()).toMatchObject({ status: 'error', executionIterations: 2 });
    expect(server.requests).toHaveLength(4);
  });

  it('reports why the model refused', async () => {
    const { project, ended } = await run(
      () => [{ type: 'error', status: 401, kind: 'authentication_error', message: 'invalid key' }],
      ['--quiet'],
    );
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toMatch(
      /^❌ Iteration 1 failed: the agent is not signed in or its key was rejected/,
    );
    expect(project.metadata()).toMatchObject({ status: 'error', executionIterations: 0 });
  });
});
