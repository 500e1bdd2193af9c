import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

describe('`working_dir`', () => {
  it('is where a command, a script, an agent and a check run; files of the step stay relative to the workspace', async () => {
    const workspace = new Workspace({
      'packages/a/name.txt': 'a\n',
      'packages/b/name.txt': 'b\n',
      'ask.md': 'Write it.\n',
      'w.yaml': `providers:
  pwd: {command: [bash, -c, "pwd; cat"], input_mode: stdin}
  mock: {adapter: mock, script: {answer: done, files: {made.md: made}}}
steps:
  - name: Each
    for_each:
      items: [a, b]
      steps:
        - name: Read
          command: [cat, name.txt]
          working_dir: "packages/\${item}"
          output_file: "out/\${item}.txt"
          expect: {files: ["out/\${item}.txt"], command: [test, -f, name.txt]}
        - {name: Pwd, script: "basename $PWD", working_dir: "packages/\${item}"}
        - {name: Ask, provider: pwd, input_file: ask.md, working_dir: "packages/\${item}"}
        - {name: Mock, provider: mock, prompt: Write, working_dir: "packages/\${item}"}
`,
    });
    expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    const [, second] = workspace.iterations('Each');
    expect(workspace.read('out/b.txt')).toBe('b\n');
    expect(second?.['Read']?.debug?.['cwd']).toBe('packages/b');
    expect(second?.['Pwd']?.output).toBe('b\n');
    expect(second?.['Ask']?.output).toMatch(/\/packages\/b\nWrite it\.\n$/);
    expect(workspace.read('packages/b/made.md')).toBe('made');
    expect(workspace.has('made.md')).toBe(false);
  });

  it('fails and names the folder if it does not exist, is not a folder or is outside the workspace', async () => {
    const outside = temporaryFolder();
    const workspace = new Workspace({
      file: '',
      'out.txt': 'kept',
      'w.yaml': `context: {folder: none}
steps:
  - {name: X, command: [touch, made], working_dir: "\${context.folder}", output_file: out.txt}
`,
    });
    const messageFor = async (folder: string) => {
      expect(await workspace.run(['run', 'w.yaml', '--context', `folder=${folder}`])).toMatchObject({
        exitCode: 1,
      });
      return workspace.step('X').error?.message;
    };
    expect(await messageFor('none')).toBe('cannot work in `none`: no such file or folder (ENOENT)');
    expect(await messageFor('file')).toBe(
      'cannot work in `file`: a part of the path is not a folder (ENOTDIR)',
    );
    expect(await messageFor(outside)).toContain(outside);
    expect(await messageFor('../x')).toContain('`../x`');
    expect(workspace.read('out.txt')).toBe('kept');
  });

  it('is part of the cache key and of a dry run', async () => {
    const yaml = (folder: string) =>
      `steps:\n  - {name: X, script: "echo x >> ran; pwd", working_dir: ${folder}, cache: {}}\n`;
    const workspace = new Workspace({ 'a/f': '', 'b/f': '', 'w.yaml': yaml('a') });
    for (const folder of ['a', 'a', 'b']) {
      workspace.write({ 'w.yaml': yaml(folder) });
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
    }
    expect([workspace.read('a/ran'), workspace.read('b/ran')]).toEqual(['x\n', 'x\n']);
    workspace.write({ 'w.yaml': yaml('later') });
    expect(await workspace.run(['run', 'w.yaml', '--dry-run'])).toMatchObject({ exitCode: 0 });
    expect(workspace.step('X').decisions).toEqual([
      "dry run: would run bash -euo pipefail -c 'echo x >> ran; pwd' in `later`",
    ]);
  });

  it.each(['packages/a', 'packages/${item}'])(
    'asks about the agent settings of the folder it starts agents in (%s)',
    async (folder) => {
      const hook = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "touch made"}]}]}}';
      const workspace = new Workspace({
        'packages/a/.claude/settings.json': hook,
        'w.yaml': `steps:
  - {name: Each, for_each: {items: [a], steps: [{name: Ask, provider: claude, prompt: Hello, working_dir: "${folder}"}]}}
`,
      });
      const ended = await workspace.run(['run', 'w.yaml']);
      expect(ended.exitCode).toBe(2);
      expect(ended.stderr).toContain('packages/a/.claude/settings.json');
    },
  );
});
