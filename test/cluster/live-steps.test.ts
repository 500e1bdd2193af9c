import { describe, expect, it } from 'vitest';
import { LiveSteps } from '../../src/cluster/live-steps.ts';
import type { JournalEvent, RunEvent } from '../../src/model/event.ts';
import type { StepKey } from '../../src/model/ids.ts';

const at = '2026-01-01T00:00:00.000Z';
const key = 'A' as StepKey;
const started = (attempt: number): JournalEvent => ({
  ...{ type: 'step-started', at, key, effect: 'run-command', attempt, input: null },
});
const ended: JournalEvent = {
  ...{ type: 'step-ended', at, key, effect: 'run-command', output: null },
  ...{ attempts: 1, startedAt: at, durationMs: 0 },
};

function said(text: string, attempt = 1): string {
  return JSON.stringify({ key, attempt, progress: [{ type: 'output', stream: 'stdout', text }] });
}

/** What is shown: types of events, and texts of steps. */
function following(): { readonly live: LiveSteps; readonly shown: string[] } {
  const shown: string[] = [];
  const live = new LiveSteps((event: RunEvent) => {
    const { progress } = event.type === 'progress' ? event : { progress: undefined };
    shown.push(progress?.type === 'output' ? progress.text : event.type);
  });
  return { live, shown };
}

describe('what a step on a worker says', () => {
  it('is shown between its start and its end, also if it is heard before its start is read', () => {
    const { live, shown } = following();
    expect(live.hear(said('early'))).toBe(false);
    live.record(started(1));
    expect(live.hear(said('now'))).toBe(true);
    live.record(ended);
    expect(shown).toEqual(['step-started', 'early', 'now', 'step-ended']);
  });

  it('is not shown after its end, nor with another attempt', () => {
    const { live, shown } = following();
    live.record(started(1));
    live.record(ended);
    live.hear(said('late'));
    live.record(started(2));
    live.hear(said('second', 2));
    expect(shown).toEqual(['step-started', 'step-ended', 'step-started', 'second']);
  });
});
