/** A template that starts the real Claude Code as plain text: an agent that was refused its tools also exits with 0, so its success is not claimed. */
import { beforeAll, expect, it } from 'vitest';
import { CliWorkspace } from './cli-workspace.ts';
import { CLAUDE_325 } from './clis.ts';
import { installClis } from './install.ts';

beforeAll(installClis, 15 * 60_000);

const TURNS = [
  CLAUDE_325.tools.write('page.md', 'text'),
  { type: 'text', text: 'I wrote page.md.' },
] as const;

function workflow(more: string): string {
  return `providers: {mine: {command: [claude, -p, "\${PROMPT}"]}}\nsteps:\n  - {name: Write, provider: mine, prompt: Write page.md.${more}}\n`;
}

it('a step whose tools were refused is not shown as successful, in any view', {
  timeout: 180_000,
}, async () => {
  const site = new CliWorkspace([CLAUDE_325], { 'w.yaml': workflow('') });
  const server = await site.serve(TURNS);
  const ended = await site.run(['run', 'w.yaml', '--trust'], server);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(site.workspace.has('page.md')).toBe(false);
  expect(ended.stderr).toContain('warning[provider/unstructured-agent]');
  expect(ended.stderr).toMatch(/^! Write {2}.*not verified: only the exit code is known$/m);
  expect(ended.stderr).not.toMatch(/^✓ Write/m);
  expect(site.workspace.step('Write')).toMatchObject({ status: 'completed', outcome: 'unverified' });
  const shown = await site.workspace.run(['show', 'last']);
  expect(shown.stdout).toMatch(/! Write {2}.*not verified/);
  const report = async (format: string): Promise<string> =>
    (await site.workspace.run(['report', 'last', '--format', format])).stdout;
  expect(await report('md')).toMatch(/\| ! Write \| not verified: only the exit code is known \|/);
  expect(await report('html')).toContain('<span class="unverified">!</span> Write');
  expect(await report('junit')).toContain('<skipped message="not verified: only the exit code is known"/>');
  await site.expectNothingLeft();
});

it('with `expect`, the missing file is a failure', { timeout: 180_000 }, async () => {
  const site = new CliWorkspace([CLAUDE_325], {
    'w.yaml': workflow(', expect: {files: [page.md], reask: 0}'),
  });
  const ended = await site.run(['run', 'w.yaml', '--trust'], await site.serve(TURNS));
  expect(ended.exitCode, ended.stderr).toBe(1);
  expect(site.workspace.step('Write')).toMatchObject({ status: 'failed', outcome: 'unproven' });
});

it('with `expect`, passed checks verify the work', { timeout: 180_000 }, async () => {
  const site = new CliWorkspace([CLAUDE_325], { 'w.yaml': workflow(', expect: {files: [w.yaml]}') });
  const ended = await site.run(['run', 'w.yaml', '--trust'], await site.serve(TURNS));
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(ended.stderr).toMatch(/^✓ Write/m);
  expect(site.workspace.step('Write')).toMatchObject({ status: 'completed', outcome: 'done' });
});
