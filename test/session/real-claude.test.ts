/** The real Claude Code, with a scripted model behind it. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CLAUDE_325, cleanEnvironment } from '../real-clis/clis.ts';
import { installClis } from '../real-clis/install.ts';
import { startModelServer, type Turn } from '../rig/model-server/server.ts';
import { SessionWorkspace, task } from './rig.ts';

const planned = (id: string, dependsOn: readonly string[]) => ({
  id,
  title: `Build ${id}`,
  meta: { type: 'feature' },
  context: { requirements: [], focus_paths: ['src'], acceptance: [], depends_on: dependsOn },
  flow_control: {},
});

const structured = (input: { readonly [key: string]: unknown }): Turn => ({
  type: 'tool',
  name: 'StructuredOutput',
  input,
});

async function withModel(turns: readonly Turn[]) {
  const workspace = new SessionWorkspace();
  const server = await startModelServer(turns);
  onTestFinished(() => server.close());
  const home = path.join(workspace.folder, '.home');
  fs.mkdirSync(home);
  const [command = ''] = CLAUDE_325.command();
  const { PATH } = workspace.standIn('claude', `#!/bin/sh\nexec '${command}' "$@"\n`);
  const env = { ...cleanEnvironment(home), ...CLAUDE_325.settle({ home, url: server.url }), PATH };
  return { workspace, server, env };
}

describe(`Claude Code ${CLAUDE_325.version}`, { timeout: 180_000 }, () => {
  beforeAll(() => installClis(), 15 * 60_000);

  it('makes a plan after its first answer is rejected', async () => {
    const { workspace, server, env } = await withModel([
      structured({ tasks: [planned('IMPL-1', ['IMPL-7'])] }),
      { type: 'text', text: 'done' },
      structured({ tasks: [planned('IMPL-1', []), planned('IMPL-2', ['IMPL-1'])] }),
      { type: 'text', text: 'done' },
    ]);
    await workspace.begin();
    const made = await workspace.ok(['plan', 'Build "it"'], { env });
    expect(made.stdout).toBe('IMPL-1\nIMPL-2\n');
    const sent = server.requests.map(({ body }) => JSON.stringify(body['messages']));
    expect(sent.some((text) => text.includes('names `IMPL-7`, which does not exist'))).toBe(true);
    expect(workspace.planningCost()).toBeGreaterThan(0);
    await workspace.ok(['task', 'validate']);
  });

  it('carries out a task whose files are confirmed by version control', async () => {
    const answer = {
      approach: 'Wrote it.',
      files_modified: [
        { path: 'src/made.txt', description: 'new' },
        { path: 'src/other.txt', description: 'said only' },
      ],
      key_decisions: [],
      shared_context: { where: 'src/made.txt' },
      integration_points: [],
      verification: [],
      notes: '',
    };
    const { workspace, env } = await withModel([
      CLAUDE_325.tools.write('src/made.txt', 'by the agent'),
      structured(answer),
      { type: 'text', text: 'done' },
    ]);
    workspace.initGit();
    await workspace.begin([
      task('IMPL-1', { context: { acceptance: ['command: grep -q agent src/made.txt'] } }),
    ]);
    await workspace.ok(['execute', '--dangerously-skip-permissions', '--with-commit'], { env });
    const files = (workspace.task('IMPL-1')['summary'] as { files_modified: unknown }).files_modified;
    expect(files).toEqual([
      { path: 'src/made.txt', description: 'new', evidence: 'changed' },
      { path: 'src/other.txt', description: 'said only', evidence: 'unchanged' },
    ]);
    expect(workspace.git('show', '--name-only', '--format=%s', 'HEAD')).toBe(
      'IMPL-1: Do IMPL-1\n\nsrc/made.txt\n',
    );
  });
});
