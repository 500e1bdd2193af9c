/**
 * What every door says when a tool was denied: how to allow it, in the words of that door, and no plain `resume`, which would only pay
 * again. Codex does not report denials: its commands fail in its sandbox.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const here = import.meta.dirname;

/** Programs that print what the real ones printed when a tool was denied. */
function agents(): string {
  const folder = temporaryFolder();
  for (const name of ['claude-2.1.325', 'gemini-0.61.0']) {
    const transcript = path.join(here, 'transcripts', name, 'denied.jsonl');
    const program = path.join(folder, name.replace(/-.*/, ''));
    fs.writeFileSync(program, `#!/bin/sh\ncat > /dev/null\ncat '${transcript}'\n`, { mode: 0o755 });
  }
  return folder;
}

function site(files: { readonly [name: string]: string } = {}) {
  const workspace = new Workspace(files);
  const PATH = `${agents()}:${process.env['PATH']}`;
  return { workspace, run: (...argv: string[]) => workspace.run(argv, { env: { PATH } }) };
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1);

describe('a denied tool', () => {
  it.each([
    ['claude', 'Write'],
    ['gemini', 'write_file'],
  ])('of %s in a workflow: the keys of the step that allow it', async (provider, tool) => {
    const { workspace, run } = site({
      'w.yaml': `steps: [{name: Ask, provider: ${provider}, prompt: Write it.}]\n`,
    });
    const ended = await run('run', 'w.yaml', '--trust');
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(
      `the agent was denied \`${tool}\`; allow it with \`allowed_tools: [${tool}]\` or \`permissions: bypass\`. Its last words: "I may not write."\n`,
    );
    expect(lastLine(ended.stderr)).toBe(
      `  to continue: set \`allowed_tools: [${tool}]\` or \`permissions: bypass\` for \`Ask\`, then orchestrate resume ${workspace.runs()[0]} --accept-changes`,
    );
  });

  it('that the step itself forbids: `denied_tools`, although all permissions are given', async () => {
    const { run } = site({
      'w.yaml':
        'steps: [{name: Ask, provider: claude, prompt: Write it., permissions: bypass, denied_tools: ["Write(src/*)"]}]\n',
    });
    const ended = await run('run', 'w.yaml', '--trust');
    expect(ended.stderr).toContain('the agent was denied `Write`; `denied_tools` forbids it. Its last words');
    expect(ended.stderr).toContain(
      'to continue: remove `Write` from `denied_tools` of `Ask`, or change its prompt, then',
    );
  });

  it('that is refused despite all permissions: the rule in the settings of the agent', async () => {
    const { run } = site({
      'w.yaml': 'steps: [{name: Ask, provider: claude, prompt: Write it., permissions: bypass}]\n',
    });
    expect((await run('run', 'w.yaml', '--trust')).stderr).toContain(
      'to continue: change the rule or hook that refuses `Write`, then',
    );
  });

  it('in a session: the command that executes the task with all permissions', async () => {
    const { workspace, run } = site({
      'tasks.json': '{"tasks": [{"id": "IMPL-1", "title": "Do it", "context": {"requirements": ["do it"]}}]}',
    });
    await run('session', 'start', 'Demo');
    await run('plan', '--from', 'tasks.json');
    const way = 'orchestrate execute IMPL-1 --session WFS-demo --dangerously-skip-permissions';
    const ended = await run('execute', '--trust');
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(
      `\n  to continue: allow \`Write\` in the agent's own settings, then orchestrate resume ${workspace.runs()[0]}; or ${way}\n`,
    );
    expect(await run(...way.split(' ').slice(1))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("a rule or hook in the agent's own settings refuses it"),
    });
    expect((await run('plan', 'Do more')).stderr).toContain(
      '; or orchestrate plan … --dangerously-skip-permissions\n',
    );
  });

  it('in a phase: the commands that retry it with all permissions', async () => {
    const { workspace, run } = site();
    await run('phases', 'create', 'Do it', '--phase', 'One');
    const ended = await run('phases', 'run', '--trust');
    expect(lastLine(ended.stderr)).toBe(
      `  to continue: allow \`Write\` in the agent's own settings, then orchestrate resume ${workspace.runs()[0]}; or orchestrate phases retry phase_0 && orchestrate phases run --permissions bypass`,
    );
    expect((await run('phases', 'run')).stderr).not.toContain('orchestrate resume');
    expect(await run('phases', 'retry', 'phase_0')).toMatchObject({ exitCode: 0 });
    expect((await run('phases', 'run', '--permissions', 'bypass')).stderr).toContain('refuses it');
  });

  it('in an iterate loop: the flag of `run`', async () => {
    const { run } = site({ 'i.md': 'Do it.' });
    await run('iterate', 'init', 'task', '--mode', 'loop');
    await run('iterate', 'setup', 'task', '--from', 'i.md');
    const ended = await run('iterate', 'run', 'task', '--no-delay');
    expect(ended.exitCode).toBe(1);
    expect(`${ended.stdout}${ended.stderr}`).toContain(
      "the agent was denied `Write`; allow it in the agent's own settings, or use `claude-iterate run task --dangerously-skip-permissions`",
    );
  });
});
