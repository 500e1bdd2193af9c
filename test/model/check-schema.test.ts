import { describe, expect, it } from 'vitest';
import { checkSchema } from '../../src/model/check-schema.ts';

const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
  required: ['name', 'age'],
  additionalProperties: false,
} as const;

describe('checking a value against a JSON Schema', () => {
  it('reports nothing for a value that matches', () => {
    expect(checkSchema({ ...SCHEMA, required: ['name'] }, { name: 'a', tags: ['x'] })).toEqual([]);
  });

  it('names every place that does not match, each once', () => {
    expect(checkSchema(SCHEMA, { name: 5, tags: ['x', 7], extra: true })).toEqual([
      'missing property `age`',
      '`name`: expected string, found number',
      '`tags/1`: expected string, found number',
      'unknown property `extra`',
    ]);
  });

  it.each([
    [{ enum: ['a', 'b'] }, 'c', 'expected one of "a","b"'],
    [{ const: 'a' }, 'c', 'expected "a"'],
    [{ type: ['string', 'null'] }, 1, 'expected string or null, found number'],
    [{ minProperties: 1 }, {}, 'it does not have at least 1 properties'],
    [{ minLength: 2 }, 'c', 'string is too short (1 < 2)'],
    [{ items: { enum: [1] } }, [2], '`0`: expected one of 1'],
  ])('says how a value breaks %j: %j', (schema, value, message) => {
    expect(checkSchema(schema, value)).toEqual([message]);
  });

  it.each([
    [{ $ref: 'https://example.invalid/schema.json' }, /cannot be used: Unresolved \$ref/],
    [{ type: 'string', pattern: '(' }, /cannot be used: Invalid regular expression/],
  ])('reports that %j cannot be used, and fetches nothing', (schema, message) => {
    expect(checkSchema(schema, 'x')).toEqual([expect.stringMatching(message)]);
  });

  it('uses the draft that a schema names', () => {
    const four = {
      $schema: 'http://json-schema.org/draft-04/schema#',
      type: 'number',
      maximum: 5,
      exclusiveMaximum: true,
    };
    expect(checkSchema(four, 5)).not.toEqual([]);
    expect(checkSchema(four, 4)).toEqual([]);
  });

  it('is not fooled by members of the prototype', () => {
    expect(checkSchema({ type: 'object', required: ['toString'] }, {})).not.toEqual([]);
  });
});
