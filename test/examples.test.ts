import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Workspace } from './rig/orchestrate.ts';
import { temporaryFolder } from './rig/temporary-folder.ts';

const EXAMPLES = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'examples');

/** `expected.json` of an example: what is typed in a copy of its folder, and how it must look there afterwards. */
interface Expected {
  readonly env?: { readonly [name: string]: string };
  /** It needs a git repository. */
  readonly git?: true;
  /** Programs that stand in for real ones: name → shell script. */
  readonly programs?: { readonly [name: string]: string };
  readonly commands: readonly Act[];
  /** Part of the `state.json` of the last run. */
  readonly state: object;
  readonly files?: readonly string[];
  readonly contents?: { readonly [file: string]: string };
  /** Folders without a file. */
  readonly empty?: readonly string[];
  /** Stands in no file. */
  readonly absent?: string;
}

type Act = { readonly argv: readonly string[]; readonly exitCode: number } | { readonly remove: string };

const names = fs
  .readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

describe('examples', () => {
  it('are all listed in their README', () => {
    const page = fs.readFileSync(path.join(EXAMPLES, 'README.md'), 'utf8');
    const listed = [...page.matchAll(/^\| \[(.*?)\]\(\1\/\1\.yaml\)/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(names.toSorted());
  });

  it.each(names)('`%s` runs, and ends as it says', async (name) => {
    const workspace = new Workspace();
    fs.cpSync(path.join(EXAMPLES, name), workspace.folder, { recursive: true });
    const expected: Expected = JSON.parse(workspace.read('expected.json'));
    initGit(workspace, expected);
    const env = { ...expected.env, PATH: `${programsFolder(expected)}:${process.env['PATH']}` };
    for (const act of expected.commands) {
      if ('remove' in act) {
        fs.rmSync(path.join(workspace.folder, act.remove), { recursive: true });
        continue;
      }
      const ended = await workspace.run(act.argv, { env });
      expect(ended, `${act.argv.join(' ')}\n${ended.stderr}`).toMatchObject({ exitCode: act.exitCode });
    }
    expect(workspace.state()).toMatchObject(expected.state);
    for (const file of expected.files ?? []) expect(workspace.has(file), file).toBe(true);
    for (const [file, text] of Object.entries(expected.contents ?? {}))
      expect(workspace.read(file)).toBe(text);
    for (const folder of expected.empty ?? []) expect(tasksIn(workspace, folder), folder).toEqual([]);
    if (expected.absent !== undefined)
      expect(filesWith(workspace, expected.absent)).toEqual(['expected.json']);
  });

  it.each(names)(
    '`%s` names the schema in its first line, says what it shows, and has no problem',
    async (name) => {
      const workspace = new Workspace();
      fs.cpSync(path.join(EXAMPLES, name), workspace.folder, { recursive: true });
      const [first, second, third] = workspace.read(`${name}.yaml`).split('\n');
      expect(first).toBe('# yaml-language-server: $schema=../../schema/workflow.schema.json');
      expect(second).toBe('#');
      expect(third).toMatch(/^# [A-Z]/);
      const expected: Expected = JSON.parse(workspace.read('expected.json'));
      initGit(workspace, expected);
      const env = { ...expected.env, PATH: `${programsFolder(expected)}:${process.env['PATH']}` };
      expect(await workspace.run(['validate', `${name}.yaml`], { env })).toMatchObject({
        exitCode: 0,
        stderr: expect.not.stringContaining('warning'),
      });
    },
  );
});

function initGit(workspace: Workspace, { git }: Expected): void {
  if (git === true) execFileSync('git', ['-C', workspace.folder, 'init', '--quiet']);
}

function programsFolder({ programs = {} }: Expected): string {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    fs.writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return folder;
}

function tasksIn(workspace: Workspace, folder: string): readonly string[] {
  return workspace.list(folder).filter((name) => name.endsWith('.task'));
}

function filesWith(workspace: Workspace, text: string): readonly string[] {
  return workspace
    .list('.')
    .filter((name) => fs.statSync(path.join(workspace.folder, name)).isFile())
    .filter((name) => workspace.read(name).includes(text));
}
