/** Settings of a workspace and of a user. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/operations/config/read-config.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { temporarySite } from './site.ts';

const FILE = '.orchestrate/config.yaml';

describe('config.yaml', () => {
  it('names every mistake with its place, and runs start without the file', async () => {
    const workspace = new Workspace({
      [FILE]:
        'serve: {port: 70000, max_run: 2, public_url: "https://runs.example.com/x"}\nkeep: sometimes\nnotfy: desktop\n',
      'a.yaml': 'name: a\nsteps: [{name: A, command: ["true"]}]\n',
    });
    const { exitCode, stderr } = await workspace.run(['validate', FILE]);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(`error[workflow/invalid-value]: \`port\` is \`70000\`, but must be at most 65535
 --> .orchestrate/config.yaml:1:15
  |
1 | serve: {port: 70000, max_run: 2, public_url: "https://runs.example.com/x"}
  |               ^^^^^

error[workflow/unknown-key]: unknown key \`max_run\`
 --> .orchestrate/config.yaml:1:22
  |
1 | serve: {port: 70000, max_run: 2, public_url: "https://runs.example.com/x"}
  |                      ^^^^^^^
help: did you mean \`max_runs\`?

error[workflow/invalid-value]: \`public_url\` is \`https://runs.example.com/x\`, but must be an address such as \`https://runs.example.com\`, without a path
 --> .orchestrate/config.yaml:1:46
  |
1 | serve: {port: 70000, max_run: 2, public_url: "https://runs.example.com/x"}
  |                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error[workflow/unknown-value]: \`keep\` is \`sometimes\`, but must be \`always\` or \`never\`
 --> .orchestrate/config.yaml:2:7
  |
2 | keep: sometimes
  |       ^^^^^^^^^

error[workflow/unknown-key]: unknown key \`notfy\`
 --> .orchestrate/config.yaml:3:1
  |
3 | notfy: desktop
  | ^^^^^
help: did you mean \`notify\`?

5 errors in .orchestrate/config.yaml
`);
    const ran = await workspace.run(['run', 'a.yaml', '--quiet']);
    expect(ran).toMatchObject({
      exitCode: 0,
      stderr:
        'warning: `.orchestrate/config.yaml:1`: `port` is `70000`, but must be at most 65535; the settings of this file are not used\n',
    });
  });

  it('is correct: nothing is said', async () => {
    const workspace = new Workspace({
      [FILE]:
        'serve: {port: 0, max_runs: 2, public_url: "https://runs.example.com"}\nkeep: never\nnotify: [bell]\n',
    });
    expect(await workspace.run(['validate', FILE])).toMatchObject({
      ...{ exitCode: 0, stdout: '.orchestrate/config.yaml: ok\n', stderr: '' },
    });
  });

  it('of a workspace wins over that of the user, which may be a link to a folder of dotfiles', () => {
    const site = temporarySite();
    const home = temporaryFolder();
    const dotfiles = temporaryFolder();
    const environment = { ...site.environment, HOME: home, XDG_CONFIG_HOME: path.join(home, 'c') };
    fs.mkdirSync(path.join(home, 'c', 'orchestrate'), { recursive: true });
    fs.writeFileSync(
      path.join(dotfiles, 'o.yaml'),
      'serve: {max_runs: 9, port: 5000, public_url: "https://a.example"}\nkeep: never\n',
    );
    fs.symlinkSync(path.join(dotfiles, 'o.yaml'), path.join(home, 'c', 'orchestrate', 'config.yaml'));
    fs.mkdirSync(path.join(site.workspace, '.orchestrate'));
    fs.writeFileSync(path.join(site.workspace, FILE), 'serve: {max_runs: 2}\nkeep: always\n');
    expect(readConfig({ ...site, environment })).toEqual({
      config: { maxRuns: 2, port: 5000, publicUrl: 'https://a.example', keep: 'always' },
      diagnostics: [],
    });
  });

  it.each([
    ['the user', '.config/orchestrate/config.yaml', 200],
    ['a workspace, which may come from others', FILE, 403],
  ])('the public address of %s: requests for it get %s', async (_, file, status) => {
    const workspace = new Workspace({ [file]: 'serve: {public_url: "http://runs.example.com"}\n' });
    const page = await servePage(workspace);
    const asked = await page.ask('/api/v1/workspaces', { headers: { host: 'runs.example.com' } });
    expect(asked.status).toBe(status);
  });

  it('has a JSON Schema', async () => {
    const printed = JSON.parse((await new Workspace().run(['schema', 'config'])).stdout);
    expect(Object.keys(printed.properties).sort()).toEqual(['ask', 'keep', 'notify', 'serve']);
    expect(printed.additionalProperties).toBe(false);
  });
});
