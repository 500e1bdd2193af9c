import { cluster } from './cluster/index.ts';
import { contention } from './contention/index.ts';
import { faults } from './faults/index.ts';
import { foreignFiles } from './foreign-files/index.ts';
import { fuzz } from './fuzz/index.ts';
import { hub } from './hub/index.ts';
import { identity } from './identity/index.ts';
import { killEverywhere } from './kill-everywhere/index.ts';
import { linearTime } from './linear-time/index.ts';
import { powerLoss } from './power-loss/index.ts';
import { processes } from './processes/index.ts';
import { security } from './security/index.ts';
import type { Suite } from './suite.ts';
import { time } from './time/index.ts';
import { tornAndFlipped } from './torn-and-flipped/index.ts';
import { worktrees } from './worktrees/index.ts';

/** Every suite of the proof, in the order of the report. */
export const SUITES: readonly Suite[] = [
  killEverywhere,
  powerLoss,
  tornAndFlipped,
  faults,
  fuzz,
  identity,
  linearTime,
  contention,
  processes,
  time,
  security,
  foreignFiles,
  worktrees,
  cluster,
  hub,
];
