import { describe, expect, it } from 'vitest';
import { childEnvironment, runMark, secretValues, valuesToMask } from '../../src/process/environment.ts';

function environmentOf(base: Record<string, string>, add: Record<string, string> = {}) {
  return childEnvironment({ base, add, runId: 'the-run', runMark: 'the-mark', key: 'Loop/0/Build' });
}

describe('the environment of a child', () => {
  it('does not mark it as running inside an agent session', () => {
    const marks = [
      'CLAUDECODE',
      'CLAUDE_CODE_ENTRYPOINT',
      'CLAUDE_CODE_SESSION_ID',
      'CLAUDE_CODE_SSE_PORT',
      'CLAUDE_CODE_REMOTE_SESSION_ID',
      'CLAUDE_CODE_SESSION_ACCESS_TOKEN',
      'CLAUDE_AGENT_SDK_VERSION',
      'GEMINI_CLI',
      'CODEX_SANDBOX',
      'CODEX_SANDBOX_NETWORK_DISABLED',
      'CODEX_THREAD_ID',
    ];
    const env = environmentOf(Object.fromEntries(marks.map((name) => [name, '1'])));
    expect(Object.keys(env).sort()).toEqual(['ORCHESTRATE_MARK', 'ORCHESTRATE_RUN_ID', 'ORCHESTRATE_STEP']);
  });

  it('keeps user settings', () => {
    const settings = {
      PATH: '/bin',
      HOME: '/root',
      ANTHROPIC_API_KEY: 'sk',
      ANTHROPIC_MODEL: 'm',
      IS_SANDBOX: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      CLAUDE_CODE_SKIP_SESSION_HINT: '1',
      CLAUDE_CODE_USE_BEDROCK: '1',
      CLAUDE_CODE_ENABLE_TASKS: '0',
      CLAUDE_CODE_TMPDIR: '/tmp',
      CLAUDE_CONFIG_DIR: '/c',
      GEMINI_API_KEY: 'g',
      GEMINI_CLI_NO_RELAUNCH: 'true',
      CODEX_HOME: '/codex',
    };
    expect(environmentOf(settings)).toMatchObject(settings);
  });

  it('contains the variables of the step, whatever their names', () => {
    const add = { CLAUDECODE: '1', PATH: '/mine', 'odd name': 'x' };
    expect(environmentOf({ PATH: '/bin' }, add)).toMatchObject(add);
  });

  it('names its run and step, in addition to enclosing ones', () => {
    expect(environmentOf({ ORCHESTRATE_MARK: 'outer' })).toEqual({
      ORCHESTRATE_MARK: 'outer,the-mark',
      ORCHESTRATE_RUN_ID: 'the-run',
      ORCHESTRATE_STEP: 'Loop/0/Build',
    });
  });

  it('has the same mark for every owner of a run, and a different one for another folder', () => {
    const run = { runId: '20260101T000000Z-abcdef', directory: '/w/.orchestrate/runs/a' };
    expect(runMark(run)).toBe(runMark({ ...run }));
    expect(runMark(run)).not.toBe(runMark({ ...run, directory: '/v/.orchestrate/runs/a' }));
    expect(runMark(run)).not.toContain(',');
  });
});

describe('secrets', () => {
  it('are the declared ones and those named like a credential', () => {
    const env = {
      MY_THING: 'declared',
      SHORT: 'abc',
      GITHUB_TOKEN: 'ghp_12345678',
      ANTHROPIC_API_KEY: 'sk-12345678',
      DB_PASSWORD: 'password-1',
      PASSWORD: 'password-2',
      AWS_SECRET_ACCESS_KEY: 'aws-12345678',
      GOOGLE_APPLICATION_CREDENTIALS: '/path/to.json',
      client_secret: 'lower-case-1',
      MAX_TOKEN: '8',
      HOTKEY: 'not-a-credential',
      TOKENIZERS_PARALLELISM: 'long-enough-false',
      PATH: '/usr/bin:/bin',
    };
    expect(valuesToMask(env, ['MY_THING', 'SHORT'])).toEqual([
      'declared',
      'abc',
      'ghp_12345678',
      'sk-12345678',
      'password-1',
      'password-2',
      'aws-12345678',
      '/path/to.json',
      'lower-case-1',
    ]);
  });

  it.each([
    ['PGPASSWORD', 'hunter2'],
    ['DB_PASSWORD_PROD', 'correct-horse'],
    ['MYSQL_PWD', 'correct-horse'],
    ['GH_PAT', 'ghp_12345678'],
    ['OPENAI_APIKEY', 'sk-12345678'],
    ['AWS_ACCESS_KEY_ID', 'AKIAIOSFODNN7EXAMPLE'],
    ['npm_config__auth', 'dXNlcjpwYXNz'],
    ['AZURE_STORAGE_CONNECTION_STRING', 'AccountKey=abcdefgh=='],
  ])('include %s', (name, value) => {
    expect(valuesToMask({ [name]: value }, [])).toEqual([value]);
  });

  it.each([
    ['DATABASE_URL', 'postgres://me:hunter2@db.test/app', ['hunter2']],
    ['REDIS', 'redis://:p%40ssword@cache.test', ['p@ssword']],
    ['REMOTE', 'https://ghp_0123456789abcdefghij@git.test/x.git', ['ghp_0123456789abcdefghij']],
    ['SLACK', 'https://hooks.slack.com/services/T0/B0/abcdefghij', ['T0/B0/abcdefghij', 'abcdefghij']],
    ['DATABASE_URL', 'postgres://postgres:postgres@localhost/postgres', []],
    ['PROXY', 'http://someone@proxy.test', []],
    ['HOMEPAGE', 'https://example.test/a:b@c', []],
  ])('include the password of an address: %s %s', (name, value, expected) => {
    expect(valuesToMask({ [name]: value }, [])).toEqual(expected);
  });

  it.each([
    ['DB_PASSWORD_FILE', '/run/secrets/db-password'],
    ['OLDPWD', '/home/someone'],
    ['REQUIRE_AUTH', 'disabled'],
    ['PASSWORD', 'off'],
  ])('do not include the value of %s', (name, value) => {
    expect(valuesToMask({ [name]: value }, [])).toEqual([]);
  });

  it('that are declared but not set are a failure that names them all; an empty one is set, and masks nothing', () => {
    const declared = ['HERE', 'EMPTY', 'NOWHERE', 'ELSEWHERE'];
    expect(secretValues({ HERE: 'x', EMPTY: '' }, declared)).toEqual({
      type: 'error',
      error: { type: 'undefined-variables', names: ['env.NOWHERE', 'env.ELSEWHERE'] },
    });
    expect(secretValues({ HERE: 'x', EMPTY: '' }, ['HERE', 'EMPTY'])).toEqual({ type: 'ok', value: ['x'] });
  });
});
