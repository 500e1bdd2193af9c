import os from 'node:os';
import { loadNative } from '../../process/native.ts';
import type { Finding } from './finding.ts';

/** Checks whether every process that a step leaves behind can be found. */
export function checkProcesses(dist: string): readonly Finding[] {
  if (loadNative(dist) !== undefined) return [];
  return [
    {
      area: 'program',
      level: 'note',
      message:
        'daemons that a step leaves behind cannot be found once they leave its process tree and session',
      help:
        os.platform() === 'linux'
          ? 'build orchestrate from its repository with a C compiler installed: `npm ci` builds the missing helper'
          : 'stop such daemons in a `finally` step',
    },
  ];
}
