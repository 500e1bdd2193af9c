/**
 * The tools that people use instead, each at its own best: quiet, no cache to answer from, nothing it need not do.
 *
 *   name       as in the report
 *   is         what makes it comparable or not: does it keep anything, does it sync
 *   find       its version, or undefined where it is not installed
 *   prepare    { folder, count, shape, width } → { argv, env?, reset? }; undefined: it cannot do this shape
 *
 * A chain is steps of which each waits for the one before; a fan-out is steps that wait for nobody, `width` at once.
 */
import { bareNode } from './bare-node.js';
import { just } from './just.js';
import { listr2 } from './listr2.js';
import { make } from './make.js';
import { ninja } from './ninja.js';
import { orchestrate } from './orchestrate.js';
import { parallel } from './parallel.js';
import { posixSpawn } from './posix-spawn.js';
import { snakemake } from './snakemake.js';
import { wireit } from './wireit.js';
import { zx } from './zx.js';

export const PEERS = [
  bareNode,
  posixSpawn,
  orchestrate,
  make,
  ninja,
  just,
  zx,
  listr2,
  wireit,
  parallel,
  snakemake,
];
