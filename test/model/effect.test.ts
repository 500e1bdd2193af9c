import { expect, it } from 'vitest';
import { EFFECTS, isShown } from '../../src/model/effect.ts';

it('shows the effects that a person would call a step, and no others', () => {
  expect(Object.keys(EFFECTS).filter(isShown)).toEqual([
    'run-command',
    'run-agent',
    'run-tool',
    'wait-for-files',
  ]);
});

it('does not show an effect that only a newer version knows, whatever it is called', () => {
  for (const name of ['run-elsewhere', 'constructor', '__proto__', '']) expect(isShown(name)).toBe(false);
});
