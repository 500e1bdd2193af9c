/** An example of `examples/` in a workspace of its own. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ended, Workspace } from './orchestrate.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const EXAMPLES = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'examples');

/** `expected.json` of an example: what is typed in a copy of its folder, and how it must look there afterwards. */
export interface Expected {
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

export const EXAMPLE_NAMES = fs
  .readdirSync(EXAMPLES, { withFileTypes: true })
  .filter(
    (entry) => entry.isDirectory() && fs.existsSync(path.join(EXAMPLES, entry.name, `${entry.name}.yaml`)),
  )
  .map((entry) => entry.name);

export interface Example {
  readonly workspace: Workspace;
  readonly expected: Expected;
  readonly env: { readonly [name: string]: string };
}

/** A copy of its folder, in which its programs are found. */
export function copyExample(name: string): Example {
  const workspace = new Workspace();
  fs.cpSync(path.join(EXAMPLES, name), workspace.folder, { recursive: true });
  const expected: Expected = JSON.parse(workspace.read('expected.json'));
  if (expected.git === true) execFileSync('git', ['-C', workspace.folder, 'init', '--quiet']);
  const env = { ...expected.env, PATH: `${programsFolder(expected)}:${process.env['PATH']}` };
  return { workspace, expected, env };
}

/** Types its commands. */
export async function playExample(
  { workspace, expected, env }: Example,
  check: (
    ended: Ended,
    act: { readonly argv: readonly string[]; readonly exitCode: number },
  ) => void = () => {},
): Promise<void> {
  for (const act of expected.commands) {
    if ('remove' in act) fs.rmSync(path.join(workspace.folder, act.remove), { recursive: true });
    else check(await workspace.run(act.argv, { env }), act);
  }
}

function programsFolder({ programs = {} }: Expected): string {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    fs.writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return folder;
}
