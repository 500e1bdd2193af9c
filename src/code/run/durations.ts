import type { Duration } from '../written/calls.ts';
import { Mistake } from './mistake.ts';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number' && Number.isFinite(duration) && duration >= 0) return Math.round(duration);
  const [, amount = '', unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  if (unit === undefined)
    throw new Mistake(
      `\`${duration}\` is not a duration; write a number and a unit, like \`90s\`, \`10m\` or \`3d\``,
    );
  return Math.round(Number(amount) * UNITS[unit as keyof typeof UNITS]);
}
