/** `.orchestrate/engine.yaml`: how runs of a folder use several machines. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineSettings, readEngineSettings } from '../../src/operations/config/engine-settings.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { temporarySite } from './site.ts';

const FILE = '.orchestrate/engine.yaml';
const FULL = `use: always
database_env: TEAM_DATABASE
workspace: {git: {hub: "ssh://build/orchestrate.git", setup: [npm, ci], include: [.env.test]}}
labels:
  default: {per_worker: 2}
  claude: {at_once: 50, starts: {limit: 30, per_sec: 60}}
poll_ms: 200
dead_after_sec: 6
max_worker_deaths: 2
`;

function siteWith(text: string) {
  const site = temporarySite();
  fs.mkdirSync(path.join(site.workspace, '.orchestrate'));
  fs.writeFileSync(path.join(site.workspace, FILE), text);
  return site;
}

describe('engine.yaml', () => {
  it('names every mistake with its place', async () => {
    const workspace = new Workspace({
      [FILE]: `use: sometimes
workspace: {git: {hub: "ext::sh -c id", include: [../secrets]}, folder: mnt}
labels: {Claude: {}, big: {per_worker: 0}}
pol_ms: 100
`,
    });
    const { exitCode, stderr } = await workspace.run(['validate', FILE]);
    expect(exitCode).toBe(2);
    expect(stderr.split('\n').filter((line) => /^error|-->|^help|errors/.test(line))).toEqual([
      'error[workflow/unknown-value]: `use` is `sometimes`, but must be `asked` or `always`',
      ' --> .orchestrate/engine.yaml:1:6',
      'error[workflow/invalid-value]: `hub` is `ext::sh -c id`, but must be the address of a git repository, such as `ssh://build/orchestrate.git`, or an absolute path',
      ' --> .orchestrate/engine.yaml:2:24',
      'error[workflow/invalid-value]: `folder` is `mnt`, but must be an absolute path',
      ' --> .orchestrate/engine.yaml:2:73',
      'error[workflow/invalid-value]: the key `Claude` of `labels` must be small letters, digits, `_` and `-`',
      ' --> .orchestrate/engine.yaml:3:10',
      'error[workflow/invalid-value]: `per_worker` is `0`, but must be at least 1',
      ' --> .orchestrate/engine.yaml:3:40',
      'error[workflow/unknown-key]: unknown key `pol_ms`',
      ' --> .orchestrate/engine.yaml:4:1',
      'help: did you mean `poll_ms`?',
      'error[workflow/invalid-value]: `workspace` must have exactly one of `git` and `folder`',
      ' --> .orchestrate/engine.yaml:2:12',
      'error[workflow/invalid-value]: `include` is `../secrets`, but must be inside the workspace',
      ' --> .orchestrate/engine.yaml:2:51',
      '8 errors in .orchestrate/engine.yaml',
    ]);
  });

  it('is read with its defaults; a file that does not exist sets nothing', () => {
    const site = siteWith(FULL);
    expect(readEngineSettings(site.workspace)).toEqual({
      type: 'ok',
      value: {
        use: 'always',
        databaseEnv: 'TEAM_DATABASE',
        workspace: {
          ...{ type: 'git', hub: 'ssh://build/orchestrate.git' },
          ...{ setup: ['npm', 'ci'], include: ['.env.test'] },
        },
        labels: {
          default: { perWorker: 2 },
          claude: { perWorker: 4, atOnce: 50, starts: { limit: 30, perMs: 60_000 } },
        },
        ...{ pollMs: 200, deadAfterMs: 6000, maxWorkerDeaths: 2 },
      },
    });
    const none = temporarySite();
    expect(readEngineSettings(none.workspace)).toEqual({ type: 'ok', value: undefined });
    expect(engineSettings(none)).toEqual({
      type: 'ok',
      value: {
        ...{ use: 'asked', databaseEnv: 'ORCHESTRATE_DATABASE_URL', labels: { default: { perWorker: 4 } } },
        ...{ pollMs: 1000, deadAfterMs: 30_000, maxWorkerDeaths: 3 },
      },
    });
  });

  it('is used only after the user has trusted what it runs and where it sends files', async () => {
    const site = siteWith(FULL);
    const asked = engineSettings(site);
    if (asked.type === 'ok' || asked.error.type !== 'not-trusted') throw new Error('it was not asked about');
    expect(asked.error.claims.map(({ name, shown }) => [name, shown])).toEqual([
      ['use', undefined],
      ['database_env', 'the address in TEAM_DATABASE'],
      ['workspace.git.hub', 'ssh://build/orchestrate.git'],
      ['workspace.git.setup', 'npm ci'],
      ['workspace.git.include', '.env.test'],
    ]);
    await site.trust.agree(site.workspace, asked.error.claims);
    expect(engineSettings(site)).toMatchObject({ type: 'ok', value: { use: 'always' } });
    const other = FULL.replace('[npm, ci]', '[sh, evil.sh]').replace('poll_ms: 200', 'poll_ms: 300');
    fs.writeFileSync(path.join(site.workspace, FILE), other);
    expect(engineSettings(site)).toMatchObject({ type: 'error', error: { type: 'not-trusted' } });
  });

  it('may change its limits without a new question', async () => {
    const site = siteWith(FULL);
    const asked = engineSettings(site);
    if (asked.type === 'ok' || asked.error.type !== 'not-trusted') throw new Error('it was not asked about');
    await site.trust.agree(site.workspace, asked.error.claims);
    fs.writeFileSync(path.join(site.workspace, FILE), FULL.replace('poll_ms: 200', 'poll_ms: 300'));
    expect(engineSettings(site)).toMatchObject({ type: 'ok', value: { pollMs: 300 } });
  });

  it.each(['-oProxyCommand=id', 'ssh://-oProxyCommand=id/x', 'relative/path', 'user@-host:x', 'fd::7'])(
    'refuses `%s` as the address of the hub',
    (hub) => {
      const site = siteWith(`workspace: {git: {hub: ${JSON.stringify(hub)}}}\n`);
      expect(readEngineSettings(site.workspace)).toMatchObject({ type: 'error' });
    },
  );

  it.each([
    'ssh://git@host:22/x.git',
    'https://host/x',
    'git@host:team/x.git',
    '/srv/x.git',
    'file:///srv/x.git',
  ])('accepts `%s` as the address of the hub', (hub) => {
    const site = siteWith(`workspace: {git: {hub: ${JSON.stringify(hub)}}}\n`);
    expect(readEngineSettings(site.workspace)).toMatchObject({ type: 'ok', value: { workspace: { hub } } });
  });

  it('has a JSON Schema', async () => {
    const printed = JSON.parse((await new Workspace().run(['schema', 'engine'])).stdout);
    expect(Object.keys(printed.properties)).toContain('workspace');
    expect(printed.additionalProperties).toBe(false);
  });
});
