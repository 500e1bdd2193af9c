import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutComments } from '../../src/phases/settings/json-comments.ts';
import { addHooks, removeHooks, takeBack } from '../../src/phases/settings/merge.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';
import { BINARY, PhasesSite } from './site.ts';

const SETTINGS = '.claude/settings.json';

/** A file with many foreign hooks and unusual formatting. */
const CROWDED = `{
    "//": "do not touch: kept by the platform team",
    "permissions": {"allow": ["Bash(npm run *)" ,"Read"], "deny": []},
    "env" : { "A": "1" },
    "hooks": {
        "PostToolUse": [
            {
                "matcher": "*.py",
                "hooks": [{"type": "command", "command": "~/.claude/hooks/python_posttooluse_hook.sh"}]
            },
            {"matcher": "Write|Edit", "hooks": [
                {"type": "command", "command": "prettier --write"},
                {"type": "command", "command": "echo \\"orchestrate hook is mentioned here\\""}
            ]}
        ],
        "Stop": [],
        "Notification": [ { "hooks": [ { "type": "command", "command": "say \\u00fc" } ] } ],
        "PreToolUse": [{"hooks":[{"type":"command","command":"guard.sh"}],"matcher":"Bash"}]
    },
    "model": "opus"
}
`;

const FILES: { readonly [what: string]: string } = {
  'other hooks in a style of its own': CROWDED,
  'tabs and no last newline':
    '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"hooks": []}\n\t\t]\n\t}\n}',
  'line ends of Windows': CROWDED.replaceAll('\n', '\r\n'),
  'all on one line': '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  'an empty object': '{}',
  'an empty object with space in it': '{\n\n}\n',
  'empty hooks': '{\n  "hooks": { }\n}\n',
  'no hooks': '{\n  "model": "opus"\n}\n',
  'a byte order mark': '\uFEFF{\n  "model": "opus"\n}\n',
  'comments and a trailing comma': `{
  // kept by the platform team, "hooks": {
  "model": "opus", /* the best */
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say // done" }] }, // the last one
    ],
    // nothing else yet
  },
  // the end
}
`,
  'only a comment': '{\n  // nothing yet\n}\n',
  'the same name twice': '{"hooks": 1, "a": 2, "hooks": {"Stop": []}}',
};

describe('hook install and uninstall', () => {
  it.each(Object.keys(FILES))('restores %s byte for byte', async (what) => {
    const before = FILES[what] ?? '';
    const site = new PhasesSite({ [SETTINGS]: before });
    expect(await site.run(['hook', 'install', '--command', 'orchestrate'])).toMatchObject({ exitCode: 0 });
    const installed = site.read(SETTINGS);
    expect(installed).not.toBe(before);
    expect(await site.run(['hook', 'install', '--command', 'orchestrate'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('hooks already installed in'),
    });
    expect(site.read(SETTINGS)).toBe(installed);
    expect(await site.run(['hook', 'uninstall'])).toMatchObject({ exitCode: 0 });
    expect(site.read(SETTINGS)).toBe(before);
    expect(site.list('.claude')).toEqual(['settings.json']);
  });

  it('adds every hook beside existing ones, which keep their text', async () => {
    const site = new PhasesSite({ [SETTINGS]: CROWDED });
    await site.run(['hook', 'install', '--command', 'orchestrate']);
    const { hooks, ...rest } = JSON.parse(site.read(SETTINGS));
    const { hooks: before, ...restBefore } = JSON.parse(CROWDED);
    expect(rest).toEqual(restBefore);
    expect(hooks.PostToolUse.slice(0, 2)).toEqual(before.PostToolUse);
    expect(hooks.PostToolUse[2]).toEqual({
      matcher: 'Task|Agent|TodoWrite|TaskCreate|TaskUpdate',
      hooks: [{ type: 'command', command: 'orchestrate hook post-tool-use' }],
    });
    expect(hooks.Notification).toEqual(before.Notification);
    expect(Object.keys(hooks).sort()).toEqual(
      [
        'Notification',
        'PostToolUse',
        'PostToolUseFailure',
        'PreToolUse',
        'SessionStart',
        'Stop',
        'StopFailure',
        'SubagentStop',
      ].sort(),
    );
    for (const line of CROWDED.split('\n').filter((text) => text.trim() !== '"Stop": [],'))
      expect(site.read(SETTINGS)).toContain(line.trimEnd().replace(/[\]}]$/, ''));
  });

  it('keeps changes made in between, even if the whole file was rewritten', async () => {
    const site = new PhasesSite({ [SETTINGS]: CROWDED });
    await site.run(['hook', 'install', '--command', 'orchestrate']);
    site.write({ [SETTINGS]: site.read(SETTINGS).replace('"model": "opus"', '"model": "sonnet"') });
    await site.run(['hook', 'uninstall']);
    expect(site.read(SETTINGS)).toBe(CROWDED.replace('"model": "opus"', '"model": "sonnet"'));

    await site.run(['hook', 'install', '--command', 'orchestrate']);
    site.write({ [SETTINGS]: JSON.stringify({ ...JSON.parse(site.read(SETTINGS)), added: true }) });
    await site.run(['hook', 'uninstall']);
    const expected = JSON.parse(CROWDED);
    delete expected.hooks.Stop;
    expect(JSON.parse(site.read(SETTINGS))).toEqual({ ...expected, model: 'sonnet', added: true });
  });

  it('removes the hooks of a rewritten file and keeps its comments', async () => {
    const site = new PhasesSite({ [SETTINGS]: FILES['comments and a trailing comma'] ?? '' });
    await site.run(['hook', 'install', '--command', 'orchestrate']);
    site.write({ [SETTINGS]: site.read(SETTINGS).replaceAll('  "', '    "') });
    await site.run(['hook', 'uninstall']);
    const after = site.read(SETTINGS);
    for (const comment of [
      '// kept by',
      '/* the best */',
      '// the last one',
      '// nothing else',
      '// the end',
    ])
      expect(after).toContain(comment);
    expect(after).not.toContain('orchestrate');
    expect(JSON.parse(withoutComments(after))).toEqual({
      model: 'opus',
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'say // done' }] }] },
    });
  });

  it.each(['project', 'user'])(
    'refuses to write the path of this program into the %s settings',
    async (scope) => {
      const site = new PhasesSite();
      const ended = await site.run(['hook', 'install', '--scope', scope], { env: { PATH: '/usr/bin:/bin' } });
      expect(ended).toMatchObject({
        exitCode: 2,
        stderr: `error: \`orchestrate\` is not on PATH, and the ${scope} settings are shared: the path of this program may not exist elsewhere
help: install it with \`npm install --global orchestrate-run\`, or use \`orchestrate hook install --scope local\`
`,
      });
      expect(site.list('.')).toEqual([]);
    },
  );

  it('names the program in shared settings, and its path only in local ones', async () => {
    const site = new PhasesSite();
    const bin = temporaryFolder();
    const withoutIt = { env: { PATH: '/usr/bin:/bin' } };
    expect(await site.run(['hook', 'install', '--scope', 'local'], withoutIt)).toMatchObject({ exitCode: 0 });
    expect(site.read('.claude/settings.local.json')).toContain(`${BINARY}\\" hook stop`);
    fs.symlinkSync(BINARY, path.join(bin, 'orchestrate'));
    const withIt = { env: { PATH: `${bin}:/usr/bin:/bin` } };
    expect((await site.run(['hook', 'install'], withIt)).stderr).not.toContain('note:');
    expect(JSON.parse(site.read(SETTINGS)).hooks.Stop).toEqual([
      { hooks: [{ type: 'command', command: 'orchestrate hook stop' }] },
    ]);
    await site.run(['hook', 'uninstall']);
    fs.rmSync(path.join(bin, 'orchestrate'));
    fs.writeFileSync(path.join(bin, 'orchestrate'), '#!/bin/sh\n', { mode: 0o755 });
    expect((await site.run(['hook', 'install'], withIt)).stderr).toContain(
      `note: the hooks run ${bin}/orchestrate, which is not this installation\n`,
    );
    expect(site.read(SETTINGS)).toContain('"orchestrate hook stop"');
  });

  it('creates a missing file and removes it again with its folder', async () => {
    const site = new PhasesSite();
    for (const scope of ['project', 'local']) {
      expect(await site.run(['hook', 'install', '--scope', scope, '--command', 'orchestrate'])).toMatchObject(
        { exitCode: 0 },
      );
    }
    expect((await site.run(['hook', 'status', '--json'])).stdout).toContain('hook session-start');
    for (const scope of ['local', 'project']) {
      expect(await site.run(['hook', 'uninstall', '--scope', scope])).toMatchObject({ exitCode: 0 });
    }
    // The trust record is in the home folder, which is this folder too.
    expect(site.list('.').filter((name) => !name.startsWith('.config'))).toEqual([]);
    expect(await site.run(['hook', 'uninstall'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('no hooks in'),
    });
  });

  it('reports missing hooks, and install adds only those', async () => {
    const site = new PhasesSite();
    await site.run(['hook', 'install', '--command', 'orchestrate']);
    const { hooks } = JSON.parse(site.read(SETTINGS));
    const { Stop: stop, ...others } = hooks;
    site.write({ [SETTINGS]: JSON.stringify({ hooks: others }) });
    const env = { CLAUDE_CONFIG_DIR: `${site.folder}/conf` };
    const { stdout, stderr } = await site.run(['hook', 'status'], { env });
    const lines = stdout.split('\n').map((line) => line.replace(/ +/g, ' '));
    expect(lines.slice(0, 2)).toEqual([
      `project incomplete ${path.join(site.folder, SETTINGS)}`,
      ' SessionStart: orchestrate hook session-start',
    ]);
    expect(lines).toContain(`user not installed ${site.folder}/conf/settings.json`);
    expect(stderr).toBe('help: `orchestrate hook install --scope project` adds Stop\n');
    await site.run(['hook', 'install', '--command', 'orchestrate']);
    expect(JSON.parse(site.read(SETTINGS)).hooks).toEqual({ ...others, Stop: stop });
  });

  it('writes through a link, which stays a link', async () => {
    const site = new PhasesSite({ 'dotfiles/settings.json': CROWDED, '.claude/notes.md': '' });
    fs.symlinkSync('../dotfiles/settings.json', path.join(site.folder, SETTINGS));
    await site.run(['hook', 'install', '--command', 'orchestrate']);
    expect(site.read('dotfiles/settings.json')).toContain('hook post-tool-use');
    await site.run(['hook', 'uninstall']);
    expect(site.read('dotfiles/settings.json')).toBe(CROWDED);
    expect(fs.lstatSync(path.join(site.folder, SETTINGS)).isSymbolicLink()).toBe(true);
  });

  it("installs them in the user's own settings", async () => {
    const site = new PhasesSite();
    await site.run(['hook', 'install', '--scope', 'user', '--command', 'orchestrate'], {
      env: { CLAUDE_CONFIG_DIR: `${site.folder}/conf` },
    });
    expect(site.read('conf/settings.json')).toContain('hook post-tool-use');
    expect(site.list('.claude')).toEqual([]);
  });

  it.each([
    ['{"hooks": [', 'it is not JSON'],
    ['{"hooks": {} /* open', 'it is not JSON'],
    ['[]', 'not a JSON object'],
    ['{"hooks": []}', '`hooks` is not an object'],
    ['{"hooks": {"Stop": {}}}', '`hooks.Stop` is not a list'],
  ])('leaves %s unchanged and reports why', async (text, words) => {
    const site = new PhasesSite({ [SETTINGS]: text });
    expect(await site.run(['hook', 'install', '--command', 'orchestrate'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(words),
    });
    expect(site.read(SETTINGS)).toBe(text);
  });
});

describe('any settings file', () => {
  const settings = fc.record(
    {
      a: fc.jsonValue(),
      hooks: fc.dictionary(
        fc.constantFrom('Stop', 'PostToolUse', 'SessionStart', 'Other'),
        fc.array(fc.record({ matcher: fc.string(), hooks: fc.array(fc.record({ command: fc.string() })) })),
      ),
      z: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const text = fc
    .tuple(settings, fc.constantFrom(undefined, 1, 2, 4, '\t'), fc.constantFrom('', '\n', '\r\n', '  \n'))
    .map(([value, indent, tail]) => `${JSON.stringify(value, null, indent)}${tail}`);

  it('is identical after adding and undoing, and equivalent after adding and removing', () => {
    fc.assert(
      fc.property(text, (before) => {
        const added = addHooks(before, 'orchestrate');
        if (added.type === 'error') throw new Error(added.error);
        JSON.parse(added.value.text);
        expect(takeBack(added.value.text, added.value.inserted)).toBe(before);
        const again = addHooks(added.value.text, 'orchestrate');
        expect(again.type === 'ok' && again.value.inserted).toEqual([]);
        const removed = removeHooks(added.value.text);
        expect(removed.type === 'ok' && withoutEmpty(JSON.parse(removed.value))).toEqual(
          withoutEmpty(JSON.parse(before)),
        );
      }),
      { numRuns: 300 },
    );
  });
});

/** Empty lists of hooks are ignored. */
function withoutEmpty(settings: { readonly [key: string]: unknown }): object {
  const { hooks = {}, ...rest } = settings;
  const lists = Object.entries(hooks as object).filter(([, list]) => !Array.isArray(list) || list.length > 0);
  return lists.length === 0 ? rest : { ...rest, hooks: Object.fromEntries(lists) };
}
