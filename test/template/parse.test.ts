import { describe, expect, it } from 'vitest';
import { parseBrackets } from '../../src/template/parse-brackets.ts';
import { parseCommandTokens, parsePromptTokens } from '../../src/template/parse-tokens.ts';
import { parseVariables } from '../../src/template/parse-variables.ts';
import { isReference, type Template } from '../../src/template/template.ts';

/** `<a.b>` for a reference, text unchanged. */
const shown = (template: Template): string =>
  template.map((part) => (isReference(part) ? `<${part.path.join('.')}>` : part)).join('');

describe('${…} variables', () => {
  it.each([
    ['plain text', 'plain text'],
    ['', ''],
    ['${context.name}', '<context.name>'],
    ['a ${item} b ${loop.index} c', 'a <item> b <loop.index> c'],
    ['${a}${b}', '<a><b>'],
    ['${steps.Plan.json.files.0.path}', '<steps.Plan.json.files.0.path>'],
    ['${steps.Build-2.output}', '<steps.Build-2.output>'],
    ['$HOME $1 $(date) $', '$HOME $1 $(date) $'],
    ['$$', '$'],
    ['$$HOME', '$HOME'],
    ['$${HOME}', '${HOME}'],
    ['$$${x}', '$<x>'],
    ['$$$${x}', '$${x}'],
    ['${context.name:-no one, at all}', '<context.name>'],
    ['cost: 5$', 'cost: 5$'],
    ['ü ${x} 😀', 'ü <x> 😀'],
  ])('reads %j as %j', (text, expected) => {
    const { template, problems } = parseVariables(text);
    expect(problems).toEqual([]);
    expect(shown(template)).toBe(expected);
  });

  it('records the place of each reference, including braces', () => {
    const text = 'a $${b} ${context.key} $$ ${item}';
    const references = parseVariables(text).template.filter(isReference);
    expect(references.map(({ start, end }) => text.slice(start, end))).toEqual(['${context.key}', '${item}']);
  });

  it.each([
    ['a ${b', '${b', 'template/unclosed-variable', '`${` has no closing `}`'],
    ['a ${b\nc', '${b', 'template/unclosed-variable', '`${` has no closing `}`'],
    ['a ${b\nc }', '${b', 'template/unclosed-variable', '`${` has no closing `}`'],
    ['a ${} b', '${}', 'template/empty-variable', '`${}` is empty'],
    ['${ }', '${ }', 'template/empty-variable', '`${}` is empty'],
    [
      '${a b}',
      '${a b}',
      'template/malformed-variable',
      '`${a b}` is not a variable: names are letters, digits, `_` and `-`, joined by dots',
    ],
    [
      'x ${a..b}',
      '${a..b}',
      'template/malformed-variable',
      '`${a..b}` is not a variable: names are letters, digits, `_` and `-`, joined by dots',
    ],
    [
      '${HOME:=/tmp}',
      '${HOME:=/tmp}',
      'template/malformed-variable',
      '`${HOME:=/tmp}` is not a variable: names are letters, digits, `_` and `-`, joined by dots',
    ],
  ])('reports %j at %j', (text, at, code, message) => {
    const { problems } = parseVariables(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code, message });
    expect(text.slice(problems[0]?.start, problems[0]?.end)).toBe(at);
  });

  it('explains how to write a shell expansion', () => {
    expect(parseVariables('${#list}').problems[0]?.help).toContain('`$${#list}`');
  });

  it('reports every malformed variable, not only the first', () => {
    expect(parseVariables('${} ${ok} ${a b} ${').problems).toHaveLength(3);
  });
});

describe('[name] brackets', () => {
  const roots = new Set(['depends_on', 'plan', 'shared_context']);
  it.each([
    ['cat [plan]', 'cat <plan>'],
    ['cat [plan.title] [shared_context.a-b.0]', 'cat <plan.title> <shared_context.a-b.0>'],
    ['ls [abc]*.ts', 'ls [abc]*.ts'],
    ['[ -f x ] && [[ -n y ]]', '[ -f x ] && [[ -n y ]]'],
    ['[unknown.path] [plan', '[unknown.path] [plan'],
    ['[[plan]]', '[<plan>]'],
    ['[__proto__] [constructor]', '[__proto__] [constructor]'],
  ])('reads %j as %j', (text, expected) => {
    expect(shown(parseBrackets(text, roots))).toBe(expected);
  });
});

describe('{token} tokens of prompts', () => {
  const names = new Set(['task_description', 'iteration', 'context']);
  it.each([
    ['# {task_description} ({iteration})', '# <task_description> (<iteration>)'],
    ['{"a": 1, "b": {}}', '{"a": 1, "b": {}}'],
    ['function f() { return x }', 'function f() { return x }'],
    ['{ iteration }', '{ iteration }'],
    ['{{iteration}} stays', '{iteration} stays'],
    ['${HOME} {A} {1}', '${HOME} {A} {1}'],
  ])('reads %j as %j', (text, expected) => {
    const { template, problems } = parsePromptTokens(text, names);
    expect(problems).toEqual([]);
    expect(shown(template)).toBe(expected);
  });

  it('reports an unknown token with a suggestion', () => {
    const text = 'do {task_descripton} now';
    const { problems } = parsePromptTokens(text, names);
    expect(problems).toEqual([
      {
        code: 'template/unknown-token',
        message: 'unknown token `{task_descripton}`',
        start: 3,
        end: 20,
        help: 'did you mean `{task_description}`?; for the literal text write `{{task_descripton}}`',
      },
    ]);
  });
});

describe('{{input.x}} tokens of tools', () => {
  const roots = new Set(['input']);
  it.each([
    ['{{input.path}}', '<input.path>'],
    ['--x={{ input.a.b }}.txt', '--x=<input.a.b>.txt'],
    ['{{.State.Status}} {{json .}} {{#if x}}', '{{.State.Status}} {{json .}} {{#if x}}'],
    ['{input.x} ${input.x}', '{input.x} ${input.x}'],
  ])('reads %j as %j', (text, expected) => {
    const { template, problems } = parseCommandTokens(text, roots);
    expect(problems).toEqual([]);
    expect(shown(template)).toBe(expected);
  });

  it('reports an unknown root with a suggestion', () => {
    expect(parseCommandTokens('{{inptu.path}}', roots).problems).toMatchObject([
      {
        message: 'unknown token `{{inptu.path}}`',
        help: 'did you mean `{{input.path}}`?',
        start: 0,
        end: 14,
      },
    ]);
  });
});
