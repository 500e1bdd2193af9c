/** From times to places on the axis. Stretches in which nothing ran take three percent, whatever their length. */
import type { Timeline } from '../../src/operations/live/timeline.ts';
import { durationText } from '../words.ts';

export interface Scale {
  readonly to: number;
  /** In percent. */
  at(time: number): number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

const IDLE = 3;
const STEPS = [
  100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, 3_600_000, 14_400_000,
  86_400_000,
];

export function createScale({ from, to, idle }: Timeline): Scale {
  const skipped = idle.reduce((sum, [start, end]) => sum + (end - start), 0);
  const active = Math.max(1, to - from - skipped);
  const room = 100 - IDLE * idle.length;
  const at = (time: number): number => {
    let place = 0;
    let last = from;
    for (const [start, end] of idle) {
      if (time <= start) break;
      place += ((start - last) / active) * room;
      if (time < end) return place + (IDLE * (time - start)) / (end - start);
      place += IDLE;
      last = end;
    }
    return Math.min(100, Math.max(0, place + ((time - last) / active) * room));
  };
  const step = STEPS.find((each) => active / each <= 5) ?? active / 4;
  const ticks: { at: number; text: string }[] = [];
  for (let time = 0; time <= to - from && ticks.length < 8; time += step) {
    const place = at(from + time);
    const before = ticks.at(-1)?.at ?? -20;
    if (place - before > 13 && place < 96)
      ticks.push({ at: place, text: time === 0 ? '0' : durationText(time).replace('.0 s', ' s') });
  }
  return { to, at, ticks };
}
