import { describe, expect, it } from 'vitest';
import { type JsonObject, jsonText } from '../../src/model/json.ts';
import { parseVariables } from '../../src/template/parse-variables.ts';
import { quoteWord, quoteWords } from '../../src/template/quote.ts';
import { describeRenderFailure, renderArgument, renderTemplate } from '../../src/template/render.ts';
import { objectScope } from '../../src/template/scope.ts';

const values: JsonObject = {
  context: {
    name: 'x',
    list: ['a', 'b'],
    nested: { deep: [{ k: 'v' }] },
    yes: true,
    three: 3,
    nothing: null,
    empty: '',
  },
  steps: { List: { lines: ['one', 'two'], json: { lines: ['p', 'q'] }, exit_code: 0 } },
  nul: 'a\0b',
};
const scope = objectScope(values);
const render = (text: string) => renderTemplate(parseVariables(text).template, scope);

describe('looking up a path', () => {
  it.each([
    ['context.name', 'x'],
    ['context.list.1', 'b'],
    ['context.nested.deep.0.k', 'v'],
    ['steps.List.exit_code', 0],
    ['context.nothing', null],
    ['context.list.length', undefined],
    ['context.list.01', undefined],
    ['context.list.2', undefined],
    ['context.name.0', undefined],
    ['context.__proto__', undefined],
    ['context.constructor', undefined],
    ['context.toString', undefined],
    ['context.list.map', undefined],
    ['__proto__', undefined],
    ['hasOwnProperty', undefined],
  ])('finds %s as %j', (path, expected) => {
    expect(scope(path.split('.'))).toEqual(expected);
  });
});

describe('rendering', () => {
  it.each([
    ['a ${context.name} b', 'a x b'],
    ['${context.yes} ${context.three} ${context.nothing}', 'true 3 null'],
    ['[${context.empty}]', '[]'],
    ['${context.nested}', '{"deep":[{"k":"v"}]}'],
    ['${steps.List.lines}', 'one\ntwo'],
    ['lines: ${steps.List.lines}.', 'lines: one\ntwo.'],
    ['${steps.List.json.lines}', '["p","q"]'],
    ['${context.list}', '["a","b"]'],
  ])('renders %j as %j', (text, expected) => {
    expect(render(text)).toEqual({ type: 'ok', value: expected });
  });

  it('renders lines as JSON for comparison in a condition', () => {
    expect(renderTemplate(parseVariables('${steps.List.lines}').template, scope, jsonText)).toEqual({
      type: 'ok',
      value: '["one","two"]',
    });
  });

  it('reports every undefined variable once', () => {
    expect(render('${a} ${context.name} ${b.c} ${a}')).toEqual({
      type: 'error',
      error: { undefinedNames: ['a', 'b.c'], unusable: [] },
    });
  });

  it('rejects a NUL byte in an argument, and names the value that contains it', () => {
    const { template } = parseVariables('x${nul}y${context.name}');
    const rendered = renderArgument(template, scope);
    expect(rendered).toEqual({
      type: 'error',
      error: { undefinedNames: [], unusable: [{ name: 'nul', reason: 'nul-byte' }] },
    });
    expect(rendered.type === 'error' && describeRenderFailure(rendered.error)).toBe(
      'the value of `nul` contains a NUL byte, which is not allowed in arguments and paths',
    );
  });
});

describe('displaying commands', () => {
  it.each([
    ['plain-word_1.ts', 'plain-word_1.ts'],
    ['', "''"],
    ['two words', "'two words'"],
    ["it's", "'it'\\''s'"],
    ['$HOME', "'$HOME'"],
    ['a\nb', "'a\nb'"],
    ['~', "'~'"],
    ['*', "'*'"],
  ])('shows %j as %s', (word, expected) => {
    expect(quoteWord(word)).toBe(expected);
  });

  it('shows a complete command', () => {
    expect(quoteWords(['A=b', 'A=b', 'c d'])).toBe("'A=b' A=b 'c d'");
  });
});
