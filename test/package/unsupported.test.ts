/** Where the program cannot run: an old Node, and Windows. Each is simulated by a script that Node loads first. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { type Ended, Workspace } from '../rig/orchestrate.ts';

const BIN = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'bin');
const COMMANDS = ['orchestrate.js', 'claude-iterate.js'];
const OLD_NODE =
  "delete process.getBuiltinModule; Object.defineProperty(process, 'version', { value: 'v18.20.8' });";
const WINDOWS = "Object.defineProperty(process, 'platform', { value: 'win32' });";

function start(file: string, argv: readonly string[], script: string): Promise<Ended> {
  const workspace = new Workspace({ 'first.cjs': script });
  const env = { NODE_OPTIONS: `--require=${path.join(workspace.folder, 'first.cjs')}` };
  return workspace.run(argv, { binary: path.join(BIN, file), env });
}

describe.each(COMMANDS)('%s', (file) => {
  it('says on an old Node which one it needs', async () => {
    for (const argv of [[], ['--version'], ['-C', 'x', 'run', 'a.yaml']])
      expect(await start(file, argv, OLD_NODE)).toEqual({
        exitCode: 2,
        signal: null,
        stdout: '',
        stderr: 'error: Orchestrate needs Node 20.19, 22.3 or newer; this is Node 18.20.8\n',
      });
  });

  it('names WSL on Windows', async () => {
    expect(await start(file, ['--help'], WINDOWS)).toEqual({
      exitCode: 2,
      signal: null,
      stdout: '',
      stderr:
        'error: Orchestrate does not run on Windows itself\nhelp: use it in WSL, the Windows Subsystem for Linux\n',
    });
  });
});

describe('a hook', () => {
  it.each([OLD_NODE, WINDOWS])(
    'does not veto what the agent does where the program cannot run',
    async (script) => {
      expect(await start('orchestrate.js', ['hook', 'stop'], script)).toMatchObject({
        exitCode: 1,
        stdout: '',
      });
    },
  );
});

/** Otherwise an old Node would print a syntax error. esbuild rewrites what its target does not know, and tagged template literals as well. */
it.each([...COMMANDS, 'unsupported.js'])('Node 8 can read bin/%s', (file) => {
  const source = fs.readFileSync(path.join(BIN, file), 'utf8');
  const writtenFor = (target: string) =>
    transformSync(source, { target, supported: { 'template-literal': true } }).code;
  expect(writtenFor('node8')).toBe(writtenFor('esnext'));
});

it('package.json asks for the same versions of Node', () => {
  const { engines } = JSON.parse(fs.readFileSync(path.join(BIN, '..', 'package.json'), 'utf8'));
  expect(engines).toEqual({ node: '^20.19.0 || >=22.3.0' });
});
