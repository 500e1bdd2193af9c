/**
 * Other tools, each with its fastest settings: quiet, without caches, and with no unnecessary work.
 *
 *   name       as in the report
 *   is         what it records, and whether it syncs
 *   find       its version, or undefined if it is not installed
 *   prepare    { folder, count, shape, width } → { argv, env?, reset? }; undefined if it cannot do this shape
 *
 * In a chain, each step waits for the one before. In a fan-out, steps are independent and run `width` at once.
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
