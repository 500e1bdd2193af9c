import { expect, it } from 'vitest';
import type { StepKey } from '../../src/model/ids.ts';
import { ItemNames, itemName } from '../../src/model/item-name.ts';

it('the name of an item is one short line that steers no terminal', () => {
  expect(itemName('src/a.ts')).toBe('src/a.ts');
  expect(itemName({ name: 'x', size: 3 })).toBe('name=x size=3');
  expect(itemName({ name: 'x', sizes: [3] })).toBe('{"name":"x","sizes":[3]}');
  expect(itemName('two\nlines \u001b[31mred')).toBe('two lines ␛[31mred');
  expect(itemName(`${'é'.repeat(59)}😀😀`)).toBe(`${'é'.repeat(59)}…`);
  expect(itemName('x'.repeat(1_000_000))).toBe(`${'x'.repeat(59)}…`);
});

it('a key is shown with the name of its innermost item', () => {
  const names = new ItemNames();
  const container = { type: 'container', kind: 'for-each' } as const;
  names.apply({ ...container, items: ['a', 'b'], key: 'Outer' as StepKey });
  names.apply({ ...container, items: ['x'], key: 'Outer/1/Inner#2' as StepKey });
  expect(
    ['Outer', 'Outer/1', 'Outer/1/Inner#2/0/Fix', 'Outer/7/Fix', 'Other/1'].map((key) => names.named(key)),
  ).toEqual(['Outer', 'Outer/1 [b]', 'Outer/1/Inner#2/0/Fix [x]', 'Outer/7/Fix', 'Other/1']);
});
