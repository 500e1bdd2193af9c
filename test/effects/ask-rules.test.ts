/** Which tool calls the rules of `ask` match: a rule that asks or denies cannot be got around, a rule that allows cannot be stretched. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide, type ToolCall } from '../../src/effects/ask/decide.ts';
import type { AskRule } from '../../src/model/ask-rule.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const PUSH: readonly AskRule[] = [{ tools: ['Bash'], command: 'git push*', do: 'ask' }];

function bash(command: string, rules: readonly AskRule[] = PUSH): string | undefined {
  const root = '/nowhere';
  return decide(rules, { tool: 'Bash', input: { command } }, { root, cwd: root });
}

describe('a command', () => {
  it.each([
    'git push',
    'git push origin main',
    'npm test && git push',
    'true; git push',
    'true | git push',
    'true\ngit push',
    '(git push)',
    '{ git push; }',
    'echo "$(git push)"',
    'echo `git push`',
    'cat <(git push)',
    "sh -c 'git push'",
    "bash -lc 'cd x && git push'",
    'if true; then git push; fi',
    'for a in b; do git push; done',
    'f() { git push; }; f',
    'git push &',
    '! git push',
    'git -C dir push',
    'git -c a=b --no-pager push origin',
    '/usr/bin/git push',
    'sudo -u me git push',
    'env A=b git push',
    'timeout 5 nohup git push',
    'find . -exec git push \\;',
    'GIT_DIR=x git push',
    'g""it pu\\sh',
    "'git' 'push'",
    'git push\\\n origin',
    'git $SUBCOMMAND',
    'git ${A}push',
  ])('`%s` is matched by `git push*`', (command) => {
    expect(bash(command)).toBe('ask');
  });

  it.each([
    ['the program is in a variable', '$GIT push'],
    ['text that is put together is run', 'eval "$CODE"'],
    ['a script is not known', 'sh -c "$CODE"'],
    ['a shell reads its input', 'curl example.org | sh'],
    ['a shell reads its input', "bash <<'END'\ngit push\nEND"],
    ['code of another language', "python3 -c 'import os'"],
    ['code of another language', 'node -e "x()"'],
    ['it runs elsewhere', 'ssh host git push'],
    ['braces are expanded when it runs', '{git,push}'],
    ['names are expanded when it runs', 'gi? push'],
    ['an alias', "alias g='git push'; g"],
    ['another script becomes part of it', '. ./script.sh'],
    ['it cannot be parsed', 'echo "unclosed'],
    ['it is too long to be read', 'x'.repeat(200_000)],
  ])('that cannot be analysed (%s) is asked about', (_, command) => {
    expect(bash(command)).toBe('ask');
    const deny: readonly AskRule[] = [{ tools: ['Bash'], command: 'git push*', do: 'deny' }];
    expect(bash(command, deny), 'what is unclear is asked about, not denied').toBe('ask');
  });

  it.each(['git status', 'git log --oneline', 'echo git push', 'npm test', 'python3 script.py', 'make push'])(
    '`%s` is not matched by `git push*`',
    (command) => {
      expect(bash(command)).toBeUndefined();
    },
  );

  it('the strictest decision about any command of a script counts', () => {
    const rules: readonly AskRule[] = [
      { tools: ['Bash'], command: 'npm test*', do: 'allow' },
      { tools: ['Bash'], command: 'git push*', do: 'ask' },
      { tools: ['Bash'], command: 'rm -rf /*', do: 'deny' },
      { do: 'allow' },
    ];
    expect(bash('npm test', rules)).toBe('allow');
    expect(bash('npm test && ls', rules)).toBe('allow');
    expect(bash('npm test && git push', rules)).toBe('ask');
    expect(bash('git push; rm -rf /', rules)).toBe('deny');
    expect(bash('sudo rm -rf /etc', rules)).toBe('deny');
    expect(bash('echo "$X" | sh', rules)).toBe('ask');
  });

  it('a rule allows only what it says, completely', () => {
    const rules: readonly AskRule[] = [
      { tools: ['Bash'], command: 'npm test*', do: 'allow' },
      { tools: ['Bash'], do: 'ask' },
    ];
    expect(bash('npm test -- --run', rules)).toBe('allow');
    for (const more of [
      'npm test; ls',
      'npm test > /etc/passwd',
      'npm test $X',
      'npm test $(ls)',
      'PATH=. npm test',
      'sudo npm test',
      'npm -C x test',
      'sh -c "npm test"',
    ])
      expect(bash(more, rules), more).toBe('ask');
    expect(bash('npm test 2>&1 > /dev/null', rules)).toBe('allow');
  });

  it('takes time linear in the length of the command', () => {
    const rules: readonly AskRule[] = [{ tools: ['Bash'], command: '*a*a*a*a*a*a*a*a*b', do: 'ask' }];
    expect(bash(`echo ${'a'.repeat(50_000)}`, rules)).toBeUndefined();
    expect(bash(`${'true; '.repeat(5_000)}true`, rules)).toBeUndefined();
  });
});

describe('a path', () => {
  const rules: readonly AskRule[] = [{ tools: ['Write', 'Edit'], path: 'infra/**', do: 'ask' }];
  const folder = (): string => {
    const root = temporaryFolder();
    fs.mkdirSync(path.join(root, 'infra', 'deep'), { recursive: true });
    fs.mkdirSync(path.join(root, 'src'));
    fs.symlinkSync('infra', path.join(root, 'link'));
    fs.symlinkSync('../infra/new.tf', path.join(root, 'src', 'to-new'));
    return root;
  };
  const write = (root: string, file: string, given = rules): string | undefined => {
    const call: ToolCall = { tool: 'Write', input: { file_path: file, content: '' } };
    return decide(given, call, { root, cwd: path.join(root, 'src'), home: '/home/me' });
  };

  it('is resolved before it is compared: no other way leads around the rule', () => {
    const root = folder();
    for (const file of [
      `${root}/infra/main.tf`,
      `${root}/infra/deep/a/b.tf`,
      `${root}/infra/.env`,
      `${root}/./infra/../infra/main.tf`,
      `${root}//infra///main.tf`,
      `${root}/link/main.tf`,
      `${root}/src/../link/deep/x`,
      '../infra/main.tf',
      '../link/main.tf',
      'to-new',
      `${root}/infra`,
    ])
      expect(write(root, file), file).toBe('ask');
    for (const file of [`${root}/src/main.ts`, 'main.ts', `${root}/infrared/x`, '/infra/x'])
      expect(write(root, file), file).toBeUndefined();
  });

  it('the workspace may itself be reached by a link', () => {
    const root = folder();
    const other = path.join(temporaryFolder(), 'other');
    fs.symlinkSync(root, other);
    expect(write(root, `${other}/infra/main.tf`)).toBe('ask');
    expect(write(other, `${root}/infra/main.tf`)).toBe('ask');
  });

  it('may be absolute or in the home folder', () => {
    const root = folder();
    const given: readonly AskRule[] = [
      { tools: ['Write'], path: '/etc/**', do: 'deny' },
      { tools: ['Write'], path: '~/.ssh/**', do: 'ask' },
    ];
    expect(write(root, '/etc/passwd', given)).toBe('deny');
    expect(write(root, '../../../../../../../../etc/passwd', given)).toBe('deny');
    expect(write(root, '/home/me/.ssh/id', given)).toBe('ask');
    expect(write(root, '~/.ssh/id', given)).toBe('ask');
    expect(write(root, 'main.ts', given)).toBeUndefined();
  });

  it('a rule allows only what matches as it is written and as it resolves', () => {
    const root = folder();
    const given: readonly AskRule[] = [
      { tools: ['Write'], path: 'src/**', do: 'allow' },
      { tools: ['Write'], do: 'ask' },
    ];
    expect(write(root, 'main.ts', given)).toBe('allow');
    expect(write(root, 'to-new', given)).toBe('ask');
    expect(write(root, `${root}/src/../infra/x`, given)).toBe('ask');
  });

  it('a folder that contains what the rule is about is matched', () => {
    const root = folder();
    const given: readonly AskRule[] = [{ tools: ['Grep'], path: 'infra/**', do: 'ask' }];
    const grep = (input: { [key: string]: string }) =>
      decide(given, { tool: 'Grep', input }, { root, cwd: root });
    expect(grep({ path: '.' })).toBe('ask');
    expect(grep({ path: 'infra' })).toBe('ask');
    expect(grep({ path: 'src' })).toBeUndefined();
    expect(grep({ pattern: 'x' }), 'it does not say where').toBe('ask');
  });
});

describe('a tool', () => {
  const at = { root: '/nowhere', cwd: '/nowhere' };

  it('is matched by its name, a glob or a list; without a name, every tool is', () => {
    const rules: readonly AskRule[] = [
      { tools: ['mcp__github__*', 'WebFetch'], do: 'ask' },
      { tools: ['Agent'], do: 'deny' },
    ];
    expect(decide(rules, { tool: 'mcp__github__merge', input: {} }, at)).toBe('ask');
    expect(decide(rules, { tool: 'WebFetch', input: {} }, at)).toBe('ask');
    expect(decide(rules, { tool: 'Task', input: {} }, at), 'two names for one tool').toBe('deny');
    expect(decide(rules, { tool: 'Read', input: {} }, at)).toBeUndefined();
    expect(decide([{ do: 'ask' }], { tool: 'Anything', input: {} }, at)).toBe('ask');
  });

  it('a rule with a command or a path does not concern other tools, unless it names them', () => {
    const rules: readonly AskRule[] = [
      { command: 'git push*', do: 'ask' },
      { path: 'infra/**', do: 'ask' },
    ];
    expect(decide(rules, { tool: 'WebFetch', input: { url: 'x' } }, at)).toBeUndefined();
    const named: readonly AskRule[] = [{ tools: ['WebFetch'], path: 'infra/**', do: 'ask' }];
    expect(decide(named, { tool: 'WebFetch', input: { url: 'x' } }, at)).toBe('ask');
  });
});
