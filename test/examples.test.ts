import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyExample, EXAMPLE_NAMES, EXAMPLES, playExample } from './rig/example.ts';
import type { Workspace } from './rig/orchestrate.ts';

describe('examples', () => {
  it('are all listed in their README', () => {
    const page = fs.readFileSync(path.join(EXAMPLES, 'README.md'), 'utf8');
    const listed = [...page.matchAll(/^\| \[(.*?)\]\(\1\/\1\.yaml\)/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(EXAMPLE_NAMES.toSorted());
  });

  it.each(EXAMPLE_NAMES)('`%s` runs, and ends as it says', async (name) => {
    const example = copyExample(name);
    const { workspace, expected } = example;
    await playExample(example, (ended, { argv, exitCode }) => {
      expect(ended, `${argv.join(' ')}\n${ended.stderr}`).toMatchObject({ exitCode });
    });
    expect(workspace.state()).toMatchObject(expected.state);
    for (const file of expected.files ?? []) expect(workspace.has(file), file).toBe(true);
    for (const [file, text] of Object.entries(expected.contents ?? {}))
      expect(workspace.read(file)).toBe(text);
    for (const folder of expected.empty ?? []) expect(tasksIn(workspace, folder), folder).toEqual([]);
    if (expected.absent !== undefined)
      expect(filesWith(workspace, expected.absent)).toEqual(['expected.json']);
  });

  it.each(EXAMPLE_NAMES)(
    '`%s` names the schema in its first line, says what it shows, and has no problem',
    async (name) => {
      const { workspace, env } = copyExample(name);
      const [first, second, third] = workspace.read(`${name}.yaml`).split('\n');
      expect(first).toBe(
        '# yaml-language-server: $schema=https://unpkg.com/orchestrate-run/schema/workflow.schema.json',
      );
      expect(second).toBe('#');
      expect(third).toMatch(/^# [A-Z]/);
      expect(await workspace.run(['validate', `${name}.yaml`], { env })).toMatchObject({
        exitCode: 0,
        stderr: expect.not.stringContaining('warning'),
      });
    },
  );
});

function tasksIn(workspace: Workspace, folder: string): readonly string[] {
  return workspace.list(folder).filter((name) => name.endsWith('.task'));
}

function filesWith(workspace: Workspace, text: string): readonly string[] {
  return workspace
    .list('.')
    .filter((name) => fs.statSync(path.join(workspace.folder, name)).isFile())
    .filter((name) => workspace.read(name).includes(text));
}
