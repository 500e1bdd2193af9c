import type { Context, Point, Suite } from '../suite.ts';
import { killThoseIn } from './site.ts';

/** P3: ends processes still running in its folders, even after a failed check. */
export function tidied(points: Suite['points']): Suite['points'] {
  return async function* (context: Context) {
    for await (const point of points(context)) yield tidy(point);
  };
}

function tidy(point: Point): Point {
  return {
    id: point.id,
    async check(trial) {
      const folders: string[] = [];
      const folder = (): string => {
        const made = trial.folder();
        folders.push(made);
        return made;
      };
      try {
        await point.check({ ...trial, folder });
      } finally {
        for (const made of folders) killThoseIn(made);
      }
    },
  };
}
