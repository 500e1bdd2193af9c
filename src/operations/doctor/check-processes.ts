import os from 'node:os';
import { loadSetStamp } from '../../process/stamper.ts';
import type { Finding } from './finding.ts';

/** Whether every process that a step leaves behind can be found. */
export function checkProcesses(dist: string): readonly Finding[] {
  if (loadSetStamp(dist) !== undefined) return [];
  return [
    {
      area: 'program',
      level: 'note',
      message:
        'a daemon that a step leaves behind is not found once it has given up its parent and its session',
      help:
        os.platform() === 'linux'
          ? 'build the program from its repository with a C compiler at hand: `npm ci` makes what is missing'
          : 'end such daemons in a step of `finally`',
    },
  ];
}
