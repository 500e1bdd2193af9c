/** Trust in settings: a project from elsewhere, and a user who has not been asked. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLAIMED_KEYS } from '../../src/iterate/config/claims.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { startHttpTarget } from '../notify/http-target.ts';
import { type Ended, until } from '../rig/orchestrate.ts';
import { onTerminal } from './on-terminal.ts';
import { NO_VERIFY, Project, status, TASK } from './rig.ts';

/** A cloned project: a workspace `task` created by another user, and a program that writes a file. */
class Clone extends Project {
  readonly home = path.join(this.elsewhere, 'home');

  static async of(settings: JsonObject, config: JsonObject = {}): Promise<Clone> {
    const clone = new Clone();
    await clone.task();
    fs.rmSync(path.join(clone.folder, '.config'), { recursive: true, force: true });
    fs.mkdirSync(clone.home);
    clone.write({ 'evil.sh': `#!/bin/sh\necho "$@" >> '${clone.elsewhere}/canary'\n` });
    fs.chmodSync(path.join(clone.folder, 'evil.sh'), 0o755);
    clone.write({ '.claude-iterate.json': JSON.stringify(settings) });
    clone.write({ [`${TASK}/.metadata.json`]: JSON.stringify({ ...clone.metadata(), config }) });
    clone.agent({ calls: [status({ complete: true })] });
    return clone;
  }

  get canary(): boolean {
    return fs.existsSync(path.join(this.elsewhere, 'canary'));
  }

  get trustFile(): string {
    return path.join(this.home, '.config', 'orchestrate', 'trust.json');
  }

  user(argv: readonly string[]): Promise<Ended> {
    return this.iterate(argv, { env: { HOME: this.home } });
  }
}

const RUN = ['run', 'task', ...NO_VERIFY, '--quiet'];

describe('a project whose settings choose what runs', () => {
  it('starts nothing before the user agrees, and shows the settings and their files', async () => {
    const clone = await Clone.of({ claude: { command: './evil.sh' } });
    const ended = await clone.user(RUN);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toBe(
      `error: files in ${clone.folder} choose what runs on this machine or where messages go, and you have not trusted them yet:
  claude.command = ./evil.sh  (.claude-iterate.json; new)
help: review them, then use \`--trust\`; you are asked again only if one of these changes
`,
    );
    expect(clone.canary).toBe(false);
    expect(clone.runs()).toEqual([]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['the program, in the project', { claude: { command: './evil.sh' } }, {}],
    ['the program, in the workspace', {}, { claude: { command: './evil.sh' } }],
    ['the program, by a dotted key', {}, { 'claude.command': './evil.sh' }],
    ['an agent that is a command', { agent: './evil.sh now' }, {}],
    ['an agent that is a command, in the workspace', {}, { agent: './evil.sh now' }],
    ['arguments of the program', { claude: { args: ['--mcp-config', 'evil.json'] } }, {}],
    ['a check', { checks: ['./evil.sh check'] }, {}],
    ['a check, in the workspace', {}, { checks: ['./evil.sh check'] }],
  ])('needs trust for %s in every command that starts an agent', async (_, settings, config) => {
    const clone = await Clone.of(settings, config);
    for (const argv of [
      RUN,
      [...RUN, '--dry-run'],
      ['validate', 'task'],
      ['verify', 'task'],
      ['edit', 'task'],
    ]) {
      const ended = await clone.user(argv);
      expect(ended.exitCode, argv.join(' ')).toBe(1);
      expect(ended.stderr).toContain('you have not trusted them yet');
    }
    expect(clone.canary).toBe(false);
    expect(clone.calls()).toEqual([]);
  });

  it('sends nothing to an address that the user has not trusted', async () => {
    const target = await startHttpTarget();
    const clone = await Clone.of({ notifyUrl: target.url });
    for (const argv of [RUN, [...RUN, '--dry-run'], ['setup', 'task', '--from', `${TASK}/INSTRUCTIONS.md`]])
      expect((await clone.user(argv)).exitCode).toBe(1);
    expect(target.received).toEqual([]);
    expect((await clone.user([...RUN, '--trust'])).exitCode).toBe(0);
    expect(target.received.length).toBeGreaterThan(0);
  });

  it('is trusted with `--trust`, and asked about again when it changes', async () => {
    const clone = await Clone.of({ checks: ['true'] });
    const trusted = await clone.user(['run', 'task', ...NO_VERIFY, '--trust']);
    expect(trusted.stderr).toContain(
      `trusted from now on in ${clone.folder}:\n  checks = ["true"]  (.claude-iterate.json; new)\n`,
    );
    expect(trusted.exitCode).toBe(0);
    expect(fs.statSync(clone.trustFile).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(clone.trustFile)).mode & 0o777).toBe(0o700);
    expect(await clone.user(RUN)).toMatchObject({ exitCode: 0, stderr: '' });
    clone.write({ '.claude-iterate.json': '{"checks": ["./evil.sh"]}' });
    expect((await clone.user(RUN)).exitCode).toBe(1);
    expect(clone.canary).toBe(false);
    clone.write({
      '.claude-iterate.json': '{"checks": ["./evil.sh"], "agent": "./evil.sh", "colors": false}',
    });
    const changed = await clone.user(RUN);
    expect(changed.exitCode).toBe(1);
    expect(changed.stderr).toContain('  agent = ./evil.sh  (.claude-iterate.json; new)\n');
    expect(changed.stderr).toContain('  checks = ["./evil.sh"]  (.claude-iterate.json; changed)\n');
    expect(clone.canary).toBe(false);
    // Trusted settings stay trusted when some of them are removed.
    clone.write({ '.claude-iterate.json': '{"checks": ["true"]}' });
    expect((await clone.user(RUN)).exitCode).toBe(0);
    clone.write({ '.claude-iterate.json': '{}' });
    expect((await clone.user(RUN)).exitCode).toBe(0);
  });

  it('is not trusted in another folder, nor by another user', async () => {
    const clone = await Clone.of({ checks: ['true'] });
    expect((await clone.user([...RUN, '--trust'])).exitCode).toBe(0);
    const other = await Clone.of({ checks: ['true'] });
    expect((await other.iterate(RUN, { env: { HOME: clone.home } })).exitCode).toBe(1);
    expect((await clone.iterate(RUN, { env: { HOME: other.home } })).exitCode).toBe(1);
  });

  it('asks on a terminal', async () => {
    const clone = await Clone.of({ checks: ['./evil.sh ran'] });
    const env = { HOME: clone.home };
    const no = onTerminal(clone, RUN, { env });
    await until(() => no.text().includes('Trust them?'));
    expect(no.cells()).toContain('checks = ["./evil.sh ran"]  (.claude-iterate.json; new)');
    no.press('n\r');
    expect(await no.ended).toBe(1);
    expect(no.text()).toContain('Not trusted: nothing was started.');
    expect(clone.canary).toBe(false);
    const yes = onTerminal(clone, RUN, { env });
    await until(() => yes.text().includes('Trust them?'));
    yes.press('y\r');
    expect(await yes.ended).toBe(0);
    expect(clone.canary).toBe(true);
    expect((await clone.user(RUN)).exitCode).toBe(0);
  });

  it('does not make a command use an outside folder that the user has not trusted', async () => {
    const clone = await Clone.of({ workspacesDir: '../elsewhere', archiveDir: '~/public' });
    for (const argv of [['list'], ['init', 'x'], RUN]) {
      const ended = await clone.user(argv);
      expect(ended.exitCode).toBe(1);
      expect(ended.stderr).toContain('  workspacesDir = ../elsewhere  (.claude-iterate.json; new)\n');
    }
    expect((await clone.user(['config', 'workspacesDir', '--unset'])).exitCode).toBe(0);
    expect((await clone.user(['list', '--trust'])).exitCode).toBe(0);
  });
});

describe('a setting made by the user', () => {
  it('on the command line, in the user file, by `config` or by `init` needs no question', async () => {
    const clone = await Clone.of({});
    const target = await startHttpTarget();
    const user = { claude: { args: ['--mine'] }, checks: ['true'] };
    fs.mkdirSync(path.join(clone.home, '.config', 'claude-iterate'), { recursive: true });
    fs.writeFileSync(path.join(clone.home, '.config/claude-iterate/config.json'), JSON.stringify(user));
    expect((await clone.user(RUN)).exitCode).toBe(0);
    expect((await clone.user([...RUN, '--check', './evil.sh'])).exitCode).toBe(0);
    expect((await clone.user(['config', 'checks', '--add', './evil.sh project'])).exitCode).toBe(0);
    expect((await clone.user(RUN)).exitCode).toBe(0);
    expect((await clone.user(['config', 'claude.args', '--add', '--x', '-w', 'task'])).exitCode).toBe(0);
    expect((await clone.user(RUN)).exitCode).toBe(0);
    expect((await clone.user(['init', 'own', '--notify-url', target.url])).exitCode).toBe(0);
    clone.write({ 'claude-iterate/workspaces/own/INSTRUCTIONS.md': 'Do it.\n' });
    expect(await clone.user(['run', 'own', '--dry-run', ...NO_VERIFY])).toMatchObject({ exitCode: 0 });
  });

  it('does not make other settings of a file trusted', async () => {
    const clone = await Clone.of({ claude: { command: './evil.sh' } });
    expect((await clone.user(['config', 'checks', '--add', 'true'])).exitCode).toBe(0);
    expect((await clone.user(['init', 'own', '--notify-url', 'http://127.0.0.1:9/'])).exitCode).toBe(0);
    const ended = await clone.user(RUN);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('claude.command = ./evil.sh');
    expect(clone.canary).toBe(false);
  });

  it('on the command line overrides that of a file', async () => {
    const clone = await Clone.of({ agent: './evil.sh', checks: ['./evil.sh'] });
    const ended = await clone.user([...RUN, '--agent', 'claude', '--check', 'true']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(clone.canary).toBe(false);
  });
});

describe('a template', () => {
  it('of the project needs trust when its workspace is run, one of the user does not', async () => {
    const clone = await Clone.of({}, { checks: ['./evil.sh template'] });
    await clone.user(['template', 'save', 'task', 'theirs']);
    await clone.user(['template', 'use', 'theirs', 'copy']);
    const ended = await clone.user(['run', 'copy', ...NO_VERIFY, '--dry-run']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(
      '  checks = ["./evil.sh template"]  (claude-iterate/workspaces/copy/.metadata.json; new)\n',
    );
    expect(clone.canary).toBe(false);
    await clone.user(['template', 'save', 'task', 'mine', '--global']);
    await clone.user(['template', 'use', 'mine', 'own']);
    expect((await clone.user(['run', 'own', ...NO_VERIFY, '--dry-run'])).exitCode).toBe(0);
  });
});

describe('an archive', () => {
  it('restores no program, argument or address', async () => {
    const config = {
      checks: ['./evil.sh archive'],
      agent: './evil.sh',
      claude: { command: './evil.sh', args: ['-c'] },
      'claude.command': './evil.sh',
      verification: { depth: 'deep' },
    };
    const clone = await Clone.of({}, config);
    clone.write({
      [`${TASK}/.metadata.json`]: JSON.stringify({ ...clone.metadata(), notifyUrl: 'http://127.0.0.1:9/x' }),
    });
    await clone.user(['archive', 'save', 'task']);
    const [archive = ''] = clone.archives();
    const restored = await clone.user(['archive', 'restore', archive]);
    expect(restored.exitCode).toBe(0);
    expect(restored.stderr).toContain(
      'warning: dropped checks = ["./evil.sh archive"]: an archive must not choose what runs on this machine\n',
    );
    expect(restored.stderr).toContain('warning: dropped notifyUrl = http://127.0.0.1:9/x: ');
    const { config: left, notifyUrl } = clone.metadata();
    expect({ left, notifyUrl }).toEqual({ left: { verification: { depth: 'deep' } }, notifyUrl: undefined });
    expect((await clone.user(RUN)).exitCode).toBe(0);
    expect(clone.canary).toBe(false);
  });
});

it('docs/security.md lists every setting that needs trust', () => {
  const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/security.md'), 'utf8');
  expect(CLAIMED_KEYS.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});
