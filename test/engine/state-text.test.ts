import { expect, it } from 'vitest';
import { parseState, renderState } from '../../src/engine/state-text.ts';
import type { RunState } from '../../src/model/run-state.ts';

const state = { status: 'completed', steps: { A: { status: 'completed', output: '},\n  "journal": ' } } };
const viewed = (records: number) => ({
  state: state as unknown as RunState,
  journal: { bytes: 1000, records, checksum: '00000000' },
});

it.each([
  ['is indented for a short run', 20_000, 15],
  ['has no spaces for a long run, and the same contents', 20_001, 8],
])('the text of a state %s', (_, records, lines) => {
  const text = renderState(viewed(records));
  expect(text.split('\n').length).toBe(lines + 1);
  expect(parseState(text)?.state).toEqual(state);
  expect(parseState(text.replace('completed', 'cancelled'))).toBeUndefined();
});
