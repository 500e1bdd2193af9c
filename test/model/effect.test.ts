import { expect, it } from 'vitest';
import { EFFECTS, isShown } from '../../src/model/effect.ts';

it('shows exactly the effects that users regard as steps', () => {
  expect(Object.keys(EFFECTS).filter(isShown)).toEqual([
    'run-command',
    'run-agent',
    'run-tool',
    'run-function',
    'wait-for-files',
  ]);
});

it('does not show an effect of a newer version, whatever its name', () => {
  for (const name of ['run-elsewhere', 'constructor', '__proto__', '']) expect(isShown(name)).toBe(false);
});
