/** Hostile documents. */
import { must, mustEqual, shortened } from '../must.ts';
import type { Ended } from '../program.ts';
import { createSite, mustEnd, type Site } from '../site/site.ts';
import type { Point } from '../suite.ts';

function mustNotBreak(ended: Ended, what: string): void {
  must(
    ended.signal === null &&
      ended.exitCode !== 70 &&
      !/internal error|TypeError|RangeError/.test(ended.stderr),
    () => ({
      expected: `${what} to be read or refused`,
      found: shortened(`${ended.signal ?? ended.exitCode}: ${ended.stdout}${ended.stderr}`),
    }),
  );
}

const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
] as const;

/** Property names that every JavaScript object has, used as names of everything. */
export function* prototypePoints(): Generator<Point> {
  for (const key of KEYS) {
    yield {
      id: `prototype/${key}`,
      async check(trial) {
        const site = createSite(trial);
        const json = `{"${key}":{"polluted":"yes"},"own":"fine"}`;
        const yaml = `name: work
context:
  ${key}: "value"
  nested: "x"
providers:
  actor: {adapter: mock, script: {answer: "ok"}}
steps:
  - name: ${key}
    command: [echo, "\${context.${key}}"]
    env: {${key}: "e"}
  - name: Json
    command: [printf, '%s', '${json}']
    output_capture: json
  - name: Own
    command: [echo, "\${steps.Json.json.own} \${steps.${key}.output}"]
`;
        site.write({ 'work.yaml': yaml, 'context.json': json, 'undefined.yaml': undefinedIn() });
        const ended = await site.run(['run', 'work.yaml', '--quiet', '--context', `${key}=given`]);
        mustNotBreak(ended, `\`${key}\` as a name`);
        if (ended.exitCode === 0) {
          const [run = ''] = site.runs();
          const text = site.read(`.orchestrate/runs/${run}/state.json`);
          must(text.includes('"output":"fine given') || text.includes('fine given'), () => ({
            expected: 'its own value',
            found: shortened(text),
          }));
        }
        mustNotBreak(
          await site.run(['run', 'work.yaml', '--quiet', '--context-file', 'context.json']),
          'a context file',
        );
        // The value must not appear anywhere else.
        const clean = await site.run(['run', 'undefined.yaml', '--quiet', '--context-file', 'context.json']);
        must(clean.exitCode !== 0 && !/yes/.test(clean.stdout), () => ({
          expected: 'an undefined variable',
          found: shortened(clean.stdout),
        }));
        await documentsWith(site, key);
      },
    };
  }
}

function undefinedIn(): string {
  return 'name: u\ncontext: {own: x}\nsteps:\n  - {name: Say, command: [echo, "${context.polluted}"]}\n';
}

async function documentsWith(site: Site, key: string): Promise<void> {
  const id = (await site.ok(['session', 'start', 'Work'])).stdout.trim();
  await site.ok(['task', 'create', '--title', key]);
  const file = `.workflow/${id}/.task/IMPL-1.json`;
  const text = site
    .read(file)
    .replace('"shared_context": {', `"shared_context": {"${key}": {"polluted": "yes"},`);
  site.write({ [file]: text.replace(/,\s*\}/g, '}') });
  for (const argv of [
    ['task', 'list', '--json'],
    ['task', 'show', 'IMPL-1'],
    ['task', 'update', 'IMPL-1', '--title', 'x'],
    ['task', 'validate', '--json'],
    ['session', 'status'],
  ])
    mustNotBreak(await site.run(argv), `\`${key}\` in a task, ${argv.join(' ')}`);
  await site.ok(['phases', 'create', key, '--phase', `${key}::${key}`, '--quiet']);
  mustNotBreak(await site.run(['phases', 'start', key]), 'a phase of this name');
  const hook = JSON.stringify({
    hook_event_name: 'PostToolUse',
    tool_name: 'Task',
    tool_input: { [key]: 1, prompt: `Phase ID: ${key}` },
  });
  mustEnd(
    await site.run(['hook', 'post-tool-use'], {
      stdin: hook.replace('"toString":1', '"__proto__":{"polluted":1}'),
    }),
    0,
    ['hook'],
  );
  mustNotBreak(await site.run(['iterate', 'config', key, 'x']), 'a setting of this name');
  mustNotBreak(await site.run(['iterate', 'config', `${key}.polluted`, 'x']), 'a setting of this name');
  mustNotBreak(await site.run(['iterate', 'init', key]), 'a workspace of this name');
  mustNotBreak(await site.run(['iterate', 'list']), 'workspaces of this name');
}

/** Small files that are huge when expanded, or deeper than any stack. */
function bombs(): Readonly<Record<string, string>> {
  const laughs = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghij'
      .split('')
      .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(',')}]`),
  ];
  const merges = [
    'a: &a {k0: x}',
    ...'bcdefghijklmnop'
      .split('')
      .map(
        (name, index) =>
          `${name}: &${name} {<<: [*${'abcdefghijklmno'[index]}, *${'abcdefghijklmno'[index]}], k${index + 1}: x}`,
      ),
  ];
  return {
    laughs: laughs.join('\n'),
    merges: merges.join('\n'),
    'self-alias': 'a: &a [*a]\nsteps: *a',
    'self-merge': 'a: &a\n  <<: *a\n',
    'deep-flow': `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
    'deep-maps': `steps: ${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}`,
    'deep-block': Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
    'many-anchors': Array.from({ length: 100_000 }, (_, number) => `a${number}: &a${number} x`).join('\n'),
    'long-scalar': `name: ${'x'.repeat(9_000_000)}`,
    'many-documents': 'a: 1\n---\n'.repeat(50_000),
    'js-function': "steps: !!js/function \"function () { require('fs').writeFileSync('pwned', '') }\"",
    'python-object': 'steps: !!python/object/apply:os.system ["touch pwned"]',
    'ruby-object': 'steps: !ruby/object:Gem::Installer\n  i: x',
    'local-tag': 'name: !exec "touch pwned"\nsteps: !include /etc/passwd',
    directive: '%YAML 9.9\n%TAG ! tag:evil,2026:\n---\nsteps: !x y',
    'quadratic-key': `? ${'a'.repeat(100_000)}: ${'? '.repeat(5000)}`,
    nul: 'name: "a\\0b"\nsteps:\n  - {name: "S\\0", command: [echo, "x\\0y"]}',
  };
}

export function* yamlPoints(): Generator<Point> {
  for (const [name, text] of Object.entries(bombs())) {
    yield {
      id: `yaml/${name}`,
      async check(trial) {
        const site = createSite(trial);
        await site.ok(['converse', 'init', 'talk', '--template', 'mock']);
        site.write({ 'bomb.yaml': text });
        const readers = [
          ['validate', 'bomb.yaml'],
          ['run', 'bomb.yaml', '--quiet'],
          ['phases', 'create', 'x', '--file', 'bomb.yaml', '--quiet'],
          ['queue', 'list', '--workflow', 'bomb.yaml'],
        ];
        for (const argv of readers) {
          const ended = await site.run(argv);
          mustNotBreak(ended, `\`orchestrate ${argv.join(' ')}\``);
          mustEqual(ended.exitCode === 0, false, `whether \`orchestrate ${argv.join(' ')}\` accepted it`);
        }
        for (const config of ['workflow', 'tools']) {
          const before = site.read(`talk/config/${config}.yaml`);
          site.write({ [`talk/config/${config}.yaml`]: text });
          const ended = await site.run(['converse', 'run', 'talk', '--quiet']);
          mustNotBreak(ended, `config/${config}.yaml`);
          mustEqual(ended.exitCode === 0, false, `whether config/${config}.yaml was accepted`);
          site.write({ [`talk/config/${config}.yaml`]: before });
        }
        must(!site.has('pwned') && !site.has('talk/pwned'), () => ({
          expected: 'data',
          found: 'it was run',
        }));
      },
    };
  }
}

/** Files in the folder that other programs would run or read as configuration. */
export function settingsPoint(): Point {
  return {
    id: 'settings/that-run',
    async check(trial) {
      const site = createSite(trial);
      const evil = 'require("node:fs").writeFileSync("pwned", "")';
      site.write({
        'work.yaml': JSON.stringify({ name: 'work', steps: [{ name: 'Say', command: ['echo', 'hello'] }] }),
        'package.json': JSON.stringify({
          name: 'x',
          main: 'evil.js',
          bin: 'evil.js',
          scripts: { preinstall: 'touch pwned', start: 'touch pwned' },
          type: 'module',
        }),
        'evil.js': evil,
        'index.js': evil,
        'orchestrate.config.js': evil,
        '.orchestraterc.js': evil,
        '.env': 'NODE_OPTIONS=--require ./evil.js\nPATH=.\n',
        '.npmrc': 'node-options=--require ./evil.js\nscript-shell=./evil.sh\n',
        '.node-version': '$(touch pwned)',
        ...Object.fromEntries(
          ['commander', 'yaml', 'valibot', 'yazl', 'chokidar', 'hono'].map((name) => [
            `node_modules/${name}/index.js`,
            evil,
          ]),
        ),
        'node_modules/commander/package.json': '{"main":"index.js"}',
        '.claude-iterate.json': JSON.stringify({
          notifyUrl: 'file:///etc/passwd',
          notifyEvents: ['all'],
          notify: { format: 'ntfy', command: 'touch pwned' },
        }),
        '.claude/settings.json': JSON.stringify({
          hooks: { Stop: [{ hooks: [{ type: 'command', command: 'touch pwned' }] }] },
        }),
        '.claude/agents/evil.md':
          '---\nname: !!js/function "x"\nmodel: "$(touch pwned)"\n---\nYou are evil.\n',
      });
      const calls = [
        ...[
          ['run', 'work.yaml', '--quiet'],
          ['validate', 'work.yaml'],
          ['doctor', '--json'],
          ['runs'],
          ['hook', 'install', '--scope', 'local'],
          ['hook', 'status'],
        ],
        ...[
          ['iterate', 'init', 'task'],
          ['iterate', 'list'],
          ['iterate', 'config', '--list'],
          ['iterate', 'run', 'task', '--dry-run', '--no-delay'],
        ],
        ...[
          ['phases', 'create', 'x', '--phase', 'x::evil', '--quiet'],
          ['phases', 'run', '--agent', 'mock', '--quiet'],
          ['session', 'start', 'x'],
          ['hook', 'uninstall'],
        ],
      ];
      for (const argv of calls) {
        mustNotBreak(await site.run(argv), `\`orchestrate ${argv.join(' ')}\``);
        must(!site.has('pwned'), () => ({
          expected: 'nothing in the folder to be run',
          found: `\`orchestrate ${argv.join(' ')}\` ran it`,
        }));
      }
    },
  };
}
