/** Colours and redrawing, by the variables that other programs know: FORCE_COLOR, NO_COLOR, TERM and CI. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { BINARY, Workspace } from '../rig/orchestrate.ts';

const ONE_STEP = 'name: one\nsteps:\n  - name: Say\n    command: [echo, hello]\n';
const COLOUR = /\u001b\[\d+m/;
const CURSOR = /\u001b\[(?:\?25[lh]|\d*[A-HJK])/;

type Environment = { readonly [name: string]: string };

/** What is shown on a terminal. */
function onTerminal(env: Environment): string {
  const workspace = new Workspace({ 'one.yaml': ONE_STEP });
  const ran = spawnSync('script', ['-qec', `'${process.execPath}' '${BINARY}' run one.yaml`, '/dev/null'], {
    cwd: workspace.folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', HOME: workspace.folder, TERM: 'xterm', ...env },
  });
  expect(ran.status, ran.stderr).toBe(0);
  expect(ran.stdout).toContain('completed');
  return ran.stdout;
}

async function piped(env: Environment): Promise<string> {
  const { exitCode, stderr } = await new Workspace({ 'one.yaml': ONE_STEP }).run(['run', 'one.yaml'], {
    env,
  });
  expect(exitCode).toBe(0);
  return stderr;
}

describe('a terminal', () => {
  it('shows colours, and a panel that is redrawn', () => {
    const shown = onTerminal({});
    expect(shown).toMatch(COLOUR);
    expect(shown).toMatch(CURSOR);
  });

  it.each([{ CI: 'true' }, { CI: '1' }])(
    'of a CI service gets plain lines, since its log keeps everything: %o',
    (env) => {
      const shown = onTerminal(env);
      expect(shown).toMatch(COLOUR);
      expect(shown).not.toMatch(CURSOR);
    },
  );

  it.each([{ CI: 'false' }, { CI: '' }])(
    'is redrawn with %o, which says that this is not a CI service',
    (env) => {
      expect(onTerminal(env)).toMatch(CURSOR);
    },
  );

  it.each([{ NO_COLOR: '1' }, { FORCE_COLOR: '0' }, { FORCE_COLOR: 'false' }])(
    'shows no colours with %o',
    (env) => {
      expect(onTerminal(env)).not.toMatch(COLOUR);
    },
  );
});

describe('a pipe', () => {
  it.each([{}, { FORCE_COLOR: '' }, { FORCE_COLOR: '0' }])('gets no colours with %o', async (env) => {
    expect(await piped(env)).not.toMatch(COLOUR);
  });

  it.each([
    { FORCE_COLOR: '1' },
    { FORCE_COLOR: '1', NO_COLOR: '1' },
    { FORCE_COLOR: 'true', CI: '1', TERM: 'dumb' },
  ])('gets colours, and nothing that moves the cursor, with %o', async (env) => {
    const text = await piped(env);
    expect(text).toMatch(COLOUR);
    expect(text).not.toMatch(CURSOR);
  });
});
