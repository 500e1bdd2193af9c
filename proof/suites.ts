import { contention } from './contention/index.ts';
import { killEverywhere } from './kill-everywhere/index.ts';
import { processes } from './processes/index.ts';
import type { Suite } from './suite.ts';
import { time } from './time/index.ts';

/** Every suite of the proof, in the order of the report. */
export const SUITES: readonly Suite[] = [killEverywhere, contention, processes, time];
