/** What a call of a workflow in code refuses: unknown options, and values that do not fit. */
import { describe, expect, it } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';
import { runProgram } from '../sdk/run-program.ts';
import { codeWorkspace } from './workflows.ts';

const WRONG: readonly (readonly [call: string, message: string])[] = [
  [
    "command('A', ['true'], { timout: '1m' })",
    '`A` has the unknown option `timout`; did you mean `timeout`?',
  ],
  ["command('A', ['true'], { retries: -1 })", '`retries` of `A` must be a whole number from 0, not `-1`'],
  [
    "command('A', ['true'], { capture: 'line' })",
    "`capture` of `A` must be `'text'` or `'lines'` or `'json'`, not `line`",
  ],
  ["command('A', 'true')", 'the command of `A` must be a list of texts, the program first, not `true`'],
  ['command()', 'the first argument of a call is its name, a text, not `undefined`'],
  [
    "agent('A', { agent: 'helper', promt: 'x' })",
    '`A` has the unknown option `promt`; did you mean `prompt`?',
  ],
  ["agent('A', { agent: 'helper' })", 'the prompt of `A` must be a text, not `undefined`'],
  ["agent('A')", 'the prompt of `A` must be a text, not `undefined`'],
  [
    "agent('A', { agent: 'helper', prompt: 'x', schema: { type: 'object' } })",
    "`schema` of `A` must be a Standard Schema, or `{schema, jsonSchema}`, not `{ type: 'object' }`",
  ],
  [
    "agent('A', { agent: 'helper', prompt: 'x', expect: { file: ['a'] } })",
    '`A` has the unknown option `file`; did you mean `files`?',
  ],
  ["each('A', undefined, async () => 1)", 'the items of `A` must be a list, not `undefined`'],
  ["each('A', [1], undefined)", 'the body of `A` must be a function, not `undefined`'],
  ["each('A', [1], async () => 1, { limit: 0 })", '`limit` of `A` must be a whole number from 1, not `0`'],
  ["all('A', [async () => 1])", 'what `A` runs must be an object, not `[ [AsyncFunction (anonymous)] ]`'],
  ["approve('A')", 'the message of `A` must be a text, not `undefined`'],
  [
    "approve('A', { message: 'Go?', choices: ['yes', 'yes'] })",
    "`choices` of `A` must be a list of different texts, none of them empty, not `[ 'yes', 'yes' ]`",
  ],
  ["files('A', '*.txt', { atleast: 1 })", '`A` has the unknown option `atleast`; did you mean `atLeast`?'],
  ["do('A', () => 1, { retries: 'two' })", '`retries` of `A` must be a whole number from 0, not `two`'],
  ["read('A')", 'the path of `A` must be a text, not `undefined`'],
  ["write('A', 'a.txt', 5)", 'the text of `A` must be a text, not `5`'],
  ["version('A', 'two')", 'the number of `A` must be a whole number from 0, not `two`'],
  ["call('A', 'other.mjs')", '`other.mjs` is a program: import its workflow, and pass that to `A`'],
];

describe('a call of a workflow in code', () => {
  it('refuses unknown options and wrong values, with its name and what they must be', () => {
    const got = runProgram<readonly string[]>(new Workspace(), {
      text: `
      const failures = [];
      for (const run of [${WRONG.map(([call]) => `(ctx) => ctx.${call}`).join(', ')}]) {
        const wrong = workflow({ name: 'wrong', agents: { helper: { adapter: 'mock' } }, run });
        const { failure } = await testWorkflow(wrong, { input: {}, agents: { helper: () => 'fine' }, commands: true });
        failures.push(failure?.message);
      }
      return failures;`,
    });
    expect(got).toEqual(WRONG.map(([, message]) => message));
  });

  it('does so before anything is started, with the place of the call', async () => {
    const workspace = codeWorkspace(`
await ctx.command('Build', ['touch', 'built'], { timout: '1m' });`);
    const ended = await workspace.run(['run', 'w.workflow.mjs']);
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain(
      '`Build` has the unknown option `timout`; did you mean `timeout`? (w.workflow.mjs:8:15)',
    );
    expect(workspace.has('built')).toBe(false);
  });
});
