/**
 * Tests every setting from every layer that allows it. A setting of the program without a case here fails. A
 * probe is one use of the program that shows several settings; without any layer it must show none of them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { withValue } from '../../src/iterate/config/change.ts';
import { CONFIG_KEYS } from '../../src/iterate/config/keys.ts';
import type { IterateInput } from '../../src/iterate/input.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { type HttpTarget, startHttpTarget } from '../notify/http-target.ts';
import { bareTask, inputOf, put } from './layers.ts';
import { onTerminal } from './on-terminal.ts';
import { PASS, type Project, status, TASK } from './rig.ts';

interface Seen {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly input?: IterateInput;
  /** The requests to the service on loopback. */
  readonly sent?: readonly string[];
  readonly timers?: readonly number[];
  readonly project: Project;
}

interface Case {
  readonly value: JsonValue;
  /** Its command-line form, if any. */
  readonly flags?: readonly string[];
  shows(seen: Seen): boolean;
}

interface Probe {
  /** `target`: a service available in every probe. */
  cases(target: HttpTarget): { readonly [key: string]: Case };
  use(project: Project, flags: readonly string[], target: HttpTarget): Promise<Omit<Seen, 'project'>>;
}

const ofInput = (
  value: JsonValue,
  picked: (input: IterateInput) => unknown,
  flags?: readonly string[],
): Case => ({
  value,
  ...(flags === undefined ? {} : { flags }),
  shows: ({ input }) => input !== undefined && JSON.stringify(picked(input)) === JSON.stringify(value),
});
const inSeconds = (ms: readonly number[]): readonly number[] => ms.map((each) => each / 1000);
const claude = ({ agent }: IterateInput) => (agent.type === 'builtin' ? agent : undefined);

const PROBES: { readonly [name: string]: Probe } = {
  'of a run': {
    cases: () => ({
      defaultMaxIterations: ofInput(7, (input) => input.maxIterations, ['--max-iterations', '7']),
      defaultDelay: ofInput(0.5, (input) => input.delayMs / 1000, ['--delay', '0.5']),
      defaultStagnationThreshold: ofInput(5, (input) => input.stagnationThreshold, [
        '--stagnation-threshold',
        '5',
      ]),
      outputLevel: { value: 'quiet', flags: ['--quiet'], shows: ({ stdout }) => stdout === '' },
      fallback: ofInput(['true'], (input) => input.fallback?.map(({ name }) => name), ['--fallback', 'true']),
      checks: ofInput(['test 3 = 3'], (input) => input.checks.map((words) => words.join(' ')), [
        '--check',
        'test 3 = 3',
      ]),
      'git.checkpoint': ofInput(true, (input) => input.git?.checkpoint, ['--checkpoint']),
      'git.branch': ofInput('night', (input) => input.git?.branch, ['--branch', 'night']),
      'git.worktree': ofInput(true, (input) => input.git?.worktree, ['--worktree']),
      checkTimeoutSec: ofInput(45, (input) => (input.checkTimeoutMs ?? 0) / 1000),
      sandbox: ofInput('read-only', (input) => input.sandbox?.level),
      'retry.maxAttempts': ofInput(9, (input) => input.retry.maxAttempts),
      'retry.delaysSec': ofInput([1, 2.5], (input) => inSeconds(input.retry.delaysMs)),
      idleTimeoutMin: ofInput(41, (input) => (input.idleTimeoutMs ?? 0) / 60_000),
      'claude.command': ofInput('claude-next', (input) => claude(input)?.command?.[0]),
      'claude.args': ofInput(['--mark'], (input) => claude(input)?.extraArgs),
      'verification.autoVerify': ofInput(false, (input) => input.verification.autoVerify, ['--no-verify']),
      'verification.resumeOnFail': ofInput(false, (input) => input.verification.resumeOnFail),
      'verification.maxAttempts': ofInput(6, (input) => input.verification.maxAttempts),
      'verification.reportFilename': ofInput('other.md', (input) => input.verification.reportFilename),
      'verification.depth': ofInput('deep', (input) => input.verification.depth),
    }),
    async use(project, flags) {
      const { stdout } = await project.iterate(['run', 'task', '--trust', '--dry-run', ...flags]);
      return { stdout, input: inputOf(project) };
    },
  },
  'of the network of a sandbox': {
    cases: () => ({
      network: ofInput('full', (input) => input.sandbox?.network),
      allowHosts: ofInput(['example.org'], (input) => input.sandbox?.allowHosts),
    }),
    async use(project, flags) {
      const metadata = project.metadata();
      const config = { ...metadata.config, sandbox: 'workspace-write' };
      project.write({ [`${TASK}/.metadata.json`]: JSON.stringify({ ...metadata, config }) });
      await project.iterate(['run', 'task', '--trust', '--dry-run', '--no-delay', '--quiet', ...flags]);
      return { input: inputOf(project) };
    },
  },
  'of the agent': {
    cases: () => ({ agent: ofInput('codex', (input) => claude(input)?.adapter, ['--agent', 'codex']) }),
    async use(project, flags) {
      await project.iterate(['run', 'task', '--trust', '--dry-run', '--no-delay', '--quiet', ...flags]);
      return { input: inputOf(project) };
    },
  },
  'of the questions about tools': {
    // A dry run has no tool calls; `test/real-clis/ask-everywhere.test.ts` shows that a loop asks.
    cases: () => ({
      ask: {
        value: [{ tool: 'Bash', do: 'ask' }],
        shows: ({ stdout }) => stdout?.includes('"Bash"') === true,
      },
    }),
    async use(project) {
      const { stdout } = await project.iterate(['config', '--workspace', 'task', '--list', '--json']);
      return { stdout };
    },
  },
  'of colours': {
    cases: () => ({
      colors: {
        value: false,
        flags: ['--no-colors'],
        shows: ({ stderr }) => stderr?.includes('Task completed') === true && !stderr.includes('\u001b[1m'),
      },
    }),
    async use(project, flags) {
      const terminal = onTerminal(project, [
        'run',
        'task',
        '--trust',
        '--dry-run',
        '--delay',
        '0.3',
        ...flags,
      ]);
      await terminal.ended;
      return { stderr: terminal.text() };
    },
  },
  'of folders': {
    cases: () => ({
      workspacesDir: {
        value: 'w',
        flags: ['--workspaces-dir', 'w'],
        shows: ({ project }) => project.has('w/x/INSTRUCTIONS.md'),
      },
      templatesDir: {
        value: 't',
        flags: ['--templates-dir', 't'],
        shows: ({ project }) => project.has('t/x/template.json'),
      },
      archiveDir: {
        value: 'a',
        flags: ['--archive-dir', 'a'],
        shows: ({ project }) => project.archives('a').length === 1,
      },
      reportsDir: { value: 'r', shows: ({ project }) => project.has('r') },
      globalTemplatesDir: { value: '~/g', shows: ({ project }) => project.has('g/y/template.json') },
    }),
    async use(project, flags) {
      project.write({ 'task.md': 'Do it.\n' });
      for (const argv of [
        ['init', 'x'],
        ['setup', 'x', '--from', 'task.md'],
        ['template', 'save', 'x'],
        ['template', 'save', 'x', 'y', '--global'],
        ['archive', 'save', 'x', '--keep'],
        ['queue', 'add', 'x', '--agent', 'true', '--max-iterations', '1', '--no-verify'],
        ['queue', 'run'],
      ]) {
        const ended = await project.iterate([...argv, ...flags]);
        if (ended.exitCode !== 0) throw new Error(ended.stderr);
      }
      return {};
    },
  },
  'of notifications': {
    cases: (target) => ({
      notifyUrl: { value: `${target.url}?mine`, shows: ({ sent }) => sent?.includes('/topic?mine') === true },
      'notify.format': { value: 'json', shows: ({ sent }) => sent?.includes('application/json') === true },
      notifyEvents: {
        value: ['completion', 'status_update'],
        shows: ({ sent }) => sent?.includes('completion') === true && !sent.includes('execution_start'),
      },
      'verification.notifyOnVerification': {
        value: false,
        shows: ({ sent }) => sent?.includes('completion') === true && !sent.includes('verification'),
      },
      'notification.statusWatch.debounceMs': {
        value: 4321,
        shows: ({ timers }) => timers?.includes(4321) === true,
      },
    }),
    async use(project, flags, target) {
      const { timers, env } = recordedTimers(project);
      project.agent({
        calls: [status({ complete: true })],
        verifications: [{ files: { [`${TASK}/verification-report.md`]: PASS } }],
      });
      await project.iterate(['run', 'task', '--trust', '--quiet', ...flags], { env });
      const sent = target.received.flatMap(({ path: at, headers, body }) => [
        at,
        String(headers['content-type']),
        String(headers['tags'] ?? (JSON.parse(body) as { event: string }).event),
      ]);
      return { sent, timers: timers() };
    },
  },
  'of a status that is watched': {
    cases: () => ({
      'notification.statusWatch.enabled': { value: false, shows: ({ sent }) => sent?.length === 0 },
    }),
    use: (project, flags, target) => statusChange(project, flags, { target, summary: 'new' }),
  },
  'of a status whose time alone changes': {
    cases: () => ({
      'notification.statusWatch.notifyOnlyMeaningful': {
        value: false,
        shows: ({ sent }) => sent?.length === 1,
      },
    }),
    use: (project, flags, target) => statusChange(project, flags, { target, summary: 'old' }),
  },
};

/** One iteration changes an existing status file. */
async function statusChange(
  project: Project,
  flags: readonly string[],
  { target, summary }: { readonly target: HttpTarget; readonly summary: string },
): Promise<Omit<Seen, 'project'>> {
  const before = { complete: false, summary: 'old', lastUpdated: '2026-01-01T00:00:00Z' };
  const notify = { notifyUrl: target.url, notifyEvents: ['status_update'] };
  project.write({
    [`${TASK}/.status.json`]: JSON.stringify(before),
    [`${TASK}/.metadata.json`]: JSON.stringify({ ...project.metadata(), ...notify }),
  });
  project.agent({ calls: [status({ ...before, summary, lastUpdated: '2026-01-02T00:00:00Z' })] });
  await project.iterate(['run', 'task', '--trust', '--quiet', '-m', '1', ...flags]);
  return { sent: target.received.map(({ body }) => body) };
}

/** The delays that the program sets its timers to. */
function recordedTimers(project: Project) {
  const file = path.join(project.elsewhere, 'timers');
  fs.writeFileSync(file, '');
  const source = `const { setTimeout: later } = globalThis;
globalThis.setTimeout = (call, ms, ...rest) => { require('node:fs').appendFileSync(${JSON.stringify(file)}, ms + '\\n'); return later(call, ms, ...rest); };`;
  fs.writeFileSync(path.join(project.elsewhere, 'timers.cjs'), source);
  return {
    env: { NODE_OPTIONS: `--require=${path.join(project.elsewhere, 'timers.cjs')}` },
    timers: () => fs.readFileSync(file, 'utf8').split('\n').map(Number),
  };
}

/** For running single cases. */
const NOBODY: HttpTarget = { host: '', url: '', received: [] };
const LAYERS = ['default', 'user', 'project', 'workspace', 'command line'] as const;
type TestedLayer = (typeof LAYERS)[number];

function allows(layer: TestedLayer, key: string, { flags }: Case): boolean {
  if (layer === 'workspace') return CONFIG_KEYS[key]?.notInWorkspace !== true;
  return layer === 'command line' ? flags !== undefined : layer !== 'default';
}

describe('settings', () => {
  it('each have a case', () => {
    const tested = Object.values(PROBES).flatMap(({ cases }) => Object.keys(cases(NOBODY)));
    expect(tested.sort()).toEqual(Object.keys(CONFIG_KEYS).sort());
  });

  for (const [name, probe] of Object.entries(PROBES)) {
    const layers = LAYERS.filter(
      (layer) =>
        layer === 'default' ||
        Object.entries(probe.cases(NOBODY)).some(([key, each]) => allows(layer, key, each)),
    );
    describe(name, () => {
      it.each(layers)('take effect from the layer: %s', async (layer) => {
        const target = await startHttpTarget();
        const cases = Object.entries(probe.cases(target));
        const given = cases.filter(([key, each]) => allows(layer, key, each));
        const project = await bareTask();
        if (layer !== 'command line' && given.length > 0)
          put(
            project,
            layer,
            given.reduce<JsonObject>((all, [key, { value }]) => withValue(all, key, value), {}),
          );
        const flags = layer === 'command line' ? given.flatMap(([, each]) => each.flags ?? []) : [];
        const seen = { ...(await probe.use(project, flags, target)), project };
        const shown = cases.filter(([, each]) => each.shows(seen)).map(([key]) => key);
        expect(shown).toEqual(given.map(([key]) => key));
      });
    });
  }
});
