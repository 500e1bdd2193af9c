/** `setup` and `edit` as conversations with the real Claude Code CLI on a real terminal, with a scripted model. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CLAUDE_325, cleanEnvironment } from '../real-clis/clis.ts';
import { installClis } from '../real-clis/install.ts';
import { startModelServer, type Turn } from '../rig/model-server/server.ts';
import { until } from '../rig/orchestrate.ts';
import { onTerminal, type Terminal } from './on-terminal.ts';
import { Project, TASK } from './rig.ts';

const cli = CLAUDE_325;
const INSTRUCTIONS = `${TASK}/INSTRUCTIONS.md`;

beforeAll(async () => {
  await installClis();
  process.stdout.write(`real CLI: ${cli.name} ${cli.version} (${cli.command().at(-1)})\n`);
}, 15 * 60_000);

/** State of a CLI that has been used before, so that it skips its first-run questions. */
function usedBefore(project: Project, key: string): object {
  return {
    hasCompletedOnboarding: true,
    theme: 'dark',
    // It stores only the end of a key.
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
    projects: { [project.folder]: { hasTrustDialogAccepted: true } },
  };
}

async function talk(project: Project, command: string, turns: readonly Turn[]) {
  const server = await startModelServer(turns);
  onTestFinished(() => server.close());
  const home = path.join(project.elsewhere, 'home');
  fs.mkdirSync(home, { recursive: true });
  const settled = cli.settle({ home, url: server.url });
  const known = usedBefore(project, settled['ANTHROPIC_API_KEY'] ?? '');
  fs.writeFileSync(path.join(home, '.claude.json'), JSON.stringify(known));
  const terminal = onTerminal(project, [command, 'task', '--trust'], {
    env: { ...cleanEnvironment(home), ...settled, PATH: project.path },
  });
  return { server, terminal };
}

/** Waits until it is visible. */
async function appears(terminal: Terminal, words: string): Promise<void> {
  await until(() => terminal.cells().includes(words));
}

/** Waits until the agent has printed it and waits for input; while it works, the bottom of its screen says how to interrupt it. */
async function says(terminal: Terminal, words: string): Promise<void> {
  await appears(terminal, words);
  await until(
    () => !terminal.cells().trimEnd().split('\n').slice(-6).join('\n').includes('esc to interrupt'),
  );
}

async function type(terminal: Terminal, line: string): Promise<void> {
  terminal.press(line);
  await appears(terminal, line);
  terminal.press('\r');
}

describe(`claude-iterate with ${cli.name} ${cli.version} on a terminal`, { timeout: 120_000 }, () => {
  it('lets the user and the agent write and edit the instructions together', async () => {
    const project = new Project();
    await project.iterate(['init', 'task']);
    project.write({ '.claude-iterate.json': JSON.stringify({ claude: { command: cli.command()[0] } }) });
    const file = path.join(project.folder, INSTRUCTIONS);

    const first = await talk(project, 'setup', [
      { type: 'text', text: 'What should I do?' },
      cli.tools.write(file, 'Translate every page.\n'),
      { type: 'text', text: 'They are written now.' },
    ]);
    await says(first.terminal, 'What should I do?');
    await type(first.terminal, 'Translate my docs');
    await says(first.terminal, 'They are written now.');
    await type(first.terminal, '/exit');
    expect(await first.terminal.ended).toBe(0);
    expect(first.terminal.text()).toContain(`✓ Instructions written: ${INSTRUCTIONS}`);
    expect(project.read(INSTRUCTIONS)).toBe('Translate every page.\n');
    expect(project.metadata()).toMatchObject({ setupIterations: 1, totalIterations: 1 });
    const [opening, answered] = first.server.requests.map(({ body }) => JSON.stringify(body));
    expect(opening).toContain('First ask me what I want done.');
    expect(opening).toContain('You help the user write the instructions for a task');
    expect(answered).toContain('Translate my docs');

    const second = await talk(project, 'edit', [
      { type: 'tool', name: 'Read', input: { file_path: file } },
      { type: 'text', text: 'They say: translate. What shall change?' },
      {
        type: 'tool',
        name: 'Edit',
        input: { file_path: file, old_string: 'every page', new_string: 'the first page' },
      },
      { type: 'text', text: 'They are changed now.' },
    ]);
    await says(second.terminal, 'What shall change?');
    await type(second.terminal, 'Only page one');
    await says(second.terminal, 'They are changed now.');
    // Pressing Ctrl+C twice ends only the agent.
    second.terminal.press('\u0003');
    await appears(second.terminal, 'again to exit');
    second.terminal.press('\u0003');
    expect(await second.terminal.ended).toBe(0);
    expect(second.terminal.text()).toContain(`✓ Instructions written: ${INSTRUCTIONS}`);
    expect(project.read(INSTRUCTIONS)).toBe('Translate the first page.\n');
    expect(project.metadata()).toMatchObject({ setupIterations: 2, totalIterations: 2 });
  });
});
