import { getActiveResourcesInfo } from 'node:process';
import { describe, expect, it } from 'vitest';
import { createBranchSignals } from '../../src/engine/branch-signals.ts';
import { stepKey } from '../../src/model/ids.ts';

const timers = () => getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('the signals of a branch', () => {
  it('leave no timer that keeps the process alive, even if the branch is stopped after it has ended', () => {
    const { signal } = new AbortController();
    const before = timers();
    const own = createBranchSignals(stepKey('a'), { signal, end: signal });
    own.release();
    own.stop();
    expect(own.signal.aborted).toBe(true);
    expect(timers()).toBe(before);
  });
});
