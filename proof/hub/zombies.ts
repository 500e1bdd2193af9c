/** A machine is stopped for three dead-times and then continues: it must record nothing and move no ref. */
import type { Work } from '../cluster/work.ts';
import { zombiePoints } from '../cluster/zombies.ts';
import type { Point } from '../suite.ts';
import { machinesWithHub } from './work.ts';

const WORK: Work = { items: 12, atOnce: 4, seconds: 1 };

export function zombieMachines(each: number): Generator<Point> {
  return zombiePoints(each, (trial, url) => machinesWithHub(trial, url, WORK));
}
